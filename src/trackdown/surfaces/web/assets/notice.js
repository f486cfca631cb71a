// Short words that come and go, and the clipboard.

import { byId } from "./dom.js";

let timer = 0;
export const toast = (text) => {
  const place = byId("toast");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(timer);
  timer = setTimeout(() => {
    place.classList.remove("shown");
    place.textContent = "";
  }, 2200);
};

/** Copy a text. Where there is no clipboard (a page that is not from this machine), the old way. */
export const copy = async (text) => {
  try {
    if (navigator.clipboard) await navigator.clipboard.writeText(text);
    else byHand(text);
    toast("Copied");
  } catch {
    toast("Could not copy");
  }
};

const byHand = (text) => {
  const before = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  before?.focus();
  if (!done) throw new Error("the browser refused");
};
