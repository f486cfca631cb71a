// Keys that work everywhere on the page. Letters can be turned off.

import { byId } from "./dom.js";
import { keysAreOn } from "./help.js";
import { copy } from "./notice.js";
import { focusQuery } from "./pasted.js";
import { editorLink, keyOf, locationOf } from "./places.js";
import { current, go } from "./state.js";
import { nextTheme } from "./theme_choice.js";

const typing = (target) => target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select") !== null;

/** Hear keys. `view` is the view that has the page. */
export const hearKeys = ({ search, view }) => {
  const toTab = (tab) => () => {
    const result = search.spokenOf();
    if (result && current().view === "search")
      go({ pick: keyOf(result), of: search.addressOf(result).of, tab }, { quiet: true });
    else if (current().pick) go({ tab }, { quiet: true });
  };
  const spoken = (then) => () => {
    const result = current().view === "search" ? search.spokenOf() : null;
    if (result) then(result);
  };
  const letters = {
    "/": () => focusQuery({ select: true }),
    "?": () => byId("help").showModal(),
    j: () => view().step?.(1),
    k: () => view().step?.(-1),
    w: toTab("why"),
    s: toTab("source"),
    r: toTab("related"),
    b: toTab("blame"),
    g: spoken((result) =>
      go({ view: "graph", target: locationOf(result), of: search.addressOf(result).of, depth: 1, direction: "both" }),
    ),
    o: spoken((result) => {
      const editor = editorLink(result, current().at);
      if (editor) location.assign(editor.href);
    }),
    y: spoken((result) => copy(result.path)),
    f: () => go({ group: current().group ? "" : "file" }, { quiet: true }),
    c: () => go({ view: "search", target: "", commit: "" }),
    h: () => go({ view: "history", target: "", commit: "" }),
    t: nextTheme,
  };
  document.addEventListener("keydown", (event) => {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.isComposing ||
      byId("help").open
    )
      return;
    if (event.key === "Escape") escape(event, search);
    else if (typing(event.target)) return;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!event.target.closest("h3 a, .commit")) return;
      event.preventDefault();
      view().step?.(event.key === "ArrowDown" ? 1 : -1);
    } else if (keysAreOn() && Object.hasOwn(letters, event.key)) {
      event.preventDefault();
      letters[event.key]();
    }
  });
};

/** One step back: out of a field, out of the panel, out of the graph. */
const escape = (event, search) => {
  const { target } = event;
  const state = current();
  if (typing(target)) target.blur();
  else if (search.panel.element.contains(target)) {
    const { picked } = search;
    if (picked) search.list.focus(search.list.results.indexOf(picked));
    else search.closePanel();
  } else if (state.view === "graph") go({ view: "search", target: "", depth: 1, direction: "both" });
  else if (state.view === "commit") history.back();
  else if (state.pick) search.closePanel();
};
