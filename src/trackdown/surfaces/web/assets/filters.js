// The filters above the results. Each shows a part of the state and changes it.

import { all, byId, h, oneLine } from "./dom.js";
import { languageName } from "./languages.js";
import { makeOptions, showOptions } from "./options.js";
import { focusQuery } from "./pasted.js";
import { COUNTS, DEFAULTS, EFFORTS, FILTERS, LEVELS, current, go } from "./state.js";

const changed = (changes) => go({ only: [], ...changes, pick: "", of: "", tab: "" });

const segments = (name, options) => {
  byId(name).replaceChildren(
    ...options.map(([value, text]) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name, value, on: { change: () => changed({ [name]: value }) } }),
        h("span", {}, text),
      ),
    ),
  );
};

/** Make the filters. */
export const makeFilters = () => {
  segments("level", LEVELS);
  segments("effort", EFFORTS);
  byId("k").replaceChildren(...COUNTS.map((count) => h("option", { value: count }, `${count}`)));
  byId("k").addEventListener("change", (event) => go({ k: Number(event.target.value) }));
  byId("repository").addEventListener("change", (event) =>
    changed({ repository: event.target.value, language: [], folder: "" }),
  );
  byId("tests").addEventListener("change", (event) => changed({ tests: event.target.checked }));
  for (const name of ["folder", "at"]) {
    const take = () => {
      if (byId(name).value.trim() !== current()[name]) changed({ [name]: byId(name).value.trim() });
    };
    byId(name).addEventListener("change", take);
    byId(name).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault(); // of sending the form, which would ask a second time
      take();
    });
  }
  const takeIssue = () => {
    const issue = byId("by-name").value.trim();
    if (issue !== current().issue) changed({ issue, q: issue ? "" : current().q, view: "search" });
  };
  byId("by-name").addEventListener("change", takeIssue);
  byId("by-name").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    takeIssue();
  });
  byId("clear").addEventListener("click", () => {
    changed(Object.fromEntries(FILTERS.map((name) => [name, DEFAULTS[name]])));
    focusQuery();
  });
  byId("fold").addEventListener("click", () =>
    byId("fold").setAttribute("aria-expanded", byId("fold").getAttribute("aria-expanded") !== "true"),
  );
  makeOptions(changed);
  for (const menu of all(".menu")) closable(menu);
};

/** Close a menu when the user looks elsewhere or presses Escape. */
const closable = (menu) => {
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary").focus();
  });
};

/** Offer the repositories there are, and the languages and folders in them. */
export const offer = (repositories) => {
  const names = repositories.map(({ name }) => name);
  byId("field-repository").hidden = names.length < 2;
  byId("repository").replaceChildren(
    h("option", { value: "" }, "All"),
    ...names.map((name) => h("option", { value: name }, oneLine(name))),
  );
  byId("repository").value = current().repository;
  const counts = new Map();
  for (const one of repositories) {
    if (current().repository && one.name !== current().repository) continue;
    for (const [language, files] of Object.entries(one.languages || {}))
      counts.set(language, (counts.get(language) || 0) + files);
  }
  for (const language of current().language) if (!counts.has(language)) counts.set(language, 0);
  const sorted = Array.from(counts).sort(([one, a], [other, b]) => b - a || one.localeCompare(other));
  const list = byId("language-list");
  const focused = document.activeElement?.value;
  list.replaceChildren(
    ...(sorted.length
      ? sorted.map(([language, files]) =>
          h(
            "label",
            {},
            h("input", {
              type: "checkbox",
              value: language,
              checked: current().language.includes(language),
              on: { change: choose },
            }),
            h("span", {}, languageName(oneLine(language))),
            h("span", { class: "soft" }, files.toLocaleString("en")),
          ),
        )
      : [h("p", {}, "Known once the index is ready")]),
  );
  if (byId("language").open)
    all("input", list)
      .find((box) => box.value === focused)
      ?.focus();
};
const choose = () => changed({ language: all("input:checked", byId("language-list")).map((box) => box.value) });

/** Offer the folders of the results. */
export const offerFolders = (results) => {
  const folders = new Set();
  for (const { path } of results) {
    const parts = path.split("/").slice(0, -1);
    parts.forEach((_, number) => folders.add(parts.slice(0, number + 1).join("/")));
  }
  byId("folders").replaceChildren(
    ...Array.from(folders)
      .sort()
      .map((folder) => h("option", { value: folder })),
  );
};

/** Offer to name an issue, if the server fetches issues. */
export const offerIssues = (fetches) => {
  byId("field-issue").hidden = !fetches;
};

/** Show the state. */
export const showFilters = (state) => {
  // What is being typed stays: the state of the server is looked up, and shown, every now and then.
  if (document.activeElement !== byId("by-name")) byId("by-name").value = state.issue;
  byId("by-name").classList.toggle("set", state.issue !== "");
  for (const name of ["level", "effort"])
    for (const input of all("input", byId(name))) input.checked = input.value === state[name];
  for (const name of ["folder", "at"]) {
    if (document.activeElement !== byId(name)) byId(name).value = state[name];
    byId(name).classList.toggle("set", state[name] !== "");
  }
  if (!COUNTS.includes(state.k) && !all("option", byId("k")).some((option) => Number(option.value) === state.k))
    byId("k").append(h("option", { value: state.k }, `${state.k}`));
  byId("k").value = String(state.k);
  byId("repository").value = state.repository;
  byId("tests").checked = state.tests;
  for (const box of all("input", byId("language-list"))) box.checked = state.language.includes(box.value);
  byId("language-chosen").textContent = state.language.length
    ? state.language.map((one) => languageName(oneLine(one))).join(", ")
    : "Any";
  byId("language")
    .querySelector("summary")
    .classList.toggle("set", state.language.length > 0);
  showOptions(state);
  const active = FILTERS.filter((name) => String(state[name]) !== String(DEFAULTS[name]));
  byId("clear").hidden = !active.length;
  byId("fold-count").textContent = active.length ? ` (${active.length})` : "";
};
