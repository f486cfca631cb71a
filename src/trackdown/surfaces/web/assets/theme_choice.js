// Light, dark, or as the system has it.

import { byId } from "./dom.js";
import { toast } from "./notice.js";

const KEY = "trackdown.theme";
const NEXT = { system: "light", light: "dark", dark: "system" };
const now = () => document.documentElement.dataset.theme || "system";
const name = () => {
  byId("theme-name").textContent = `Theme: ${now()}`;
};

export const nextTheme = () => {
  const next = NEXT[now()];
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    /* then it holds for this page only */
  }
  name();
  toast(next === "system" ? "System" : next === "light" ? "Light" : "Dark");
};

export const makeThemeChoice = () => {
  name();
  byId("theme").addEventListener("click", nextTheme);
};
