// The dialog with keys and settings.

import { byId, h, icon } from "./dom.js";
import { EDITORS, chooseEditor, chosenEditor } from "./places.js";

const KEYS = "trackdown.keys";
const SHOWN = [
  [["/"], "Search box"],
  [["j", "k"], "Next, previous result"],
  [["Enter"], "Go to the panel"],
  [["Esc"], "Back, step by step"],
  [["w"], "Why"],
  [["s"], "Source"],
  [["r"], "Related"],
  [["b"], "Blame"],
  [["g"], "Graph"],
  [["o"], "Open in editor"],
  [["y"], "Copy the path"],
  [["f"], "Group by file"],
  [["c"], "Search code"],
  [["h"], "Search history"],
  [["t"], "Theme"],
  [["?"], "This page"],
];
const IN_GRAPH = [
  [["←", "→"], "Move between nodes"],
  [["↑", "↓"], "The same"],
  [["Enter"], "Make it the centre"],
  [["Space"], "Keep it highlighted"],
  [["+", "−"], "Zoom"],
  [["0"], "Show all"],
];

export const keysAreOn = () => {
  try {
    return localStorage.getItem(KEYS) !== "off";
  } catch {
    return true;
  }
};

const table = (rows) =>
  h(
    "dl",
    {},
    rows.map(([keys, said]) =>
      h(
        "div",
        {},
        h(
          "dt",
          {},
          keys.flatMap((key) => [h("kbd", {}, key), " "]),
        ),
        h("dd", {}, said),
      ),
    ),
  );

/** Make the dialog. `changed` is told when a setting changed what results show. */
export const makeHelp = (changed) => {
  const dialog = byId("help");
  const keys = h("input", {
    type: "checkbox",
    id: "keys-on",
    checked: keysAreOn(),
    on: {
      change: () => {
        try {
          localStorage.setItem(KEYS, keys.checked ? "on" : "off");
        } catch {
          /* then they stay as they are */
        }
      },
    },
  });
  const editor = h(
    "select",
    {
      id: "editor",
      on: {
        change: () => {
          chooseEditor(editor.value);
          changed();
        },
      },
    },
    Object.entries(EDITORS).map(([value, [name]]) => h("option", { value, selected: value === chosenEditor() }, name)),
  );
  dialog.replaceChildren(
    h(
      "header",
      {},
      h("h2", { id: "help-title" }, "Keys and settings"),
      h(
        "button",
        { type: "button", class: "icon-button", "aria-label": "Close", on: { click: () => dialog.close() } },
        icon("close"),
      ),
    ),
    table(SHOWN),
    h("h3", {}, "In the graph"),
    table(IN_GRAPH),
    h("h3", {}, "Settings"),
    h("p", { class: "row" }, h("label", { for: "editor" }, "Open files in"), editor),
    h("p", { class: "row" }, keys, h("label", { for: "keys-on" }, "Use single letters as shortcuts")),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  byId("open-help").addEventListener("click", () => dialog.showModal());
};
