// A pasted issue: once it is searched for, its title stands for it, and it opens again when somebody wants it.

import { byId, counted, oneLine } from "./dom.js";

const LONG = 400;
const MOST_LINES = 3;
const LONGEST_TITLE = 300;
let opened = null;

/** Whether a text is an issue rather than a question. */
export const isLong = (text) => text.length > LONG || text.trim().split("\n").length > MOST_LINES;

/** The first line that says something, without marks of Markdown. */
export const titleOf = (text) => {
  const lines = text.split("\n").map((line) => line.replace(/^[\s#>*_-]+|[\s*_]+$/g, ""));
  return oneLine(lines.find(Boolean) || text.trim()).slice(0, LONGEST_TITLE);
};

/** Show the query that was searched for: by its title if it is long, unless somebody has opened it. */
export const showQuery = (query) => {
  const box = byId("query");
  const long = query.trim() !== "" && box.value === query && isLong(query);
  const closed = long && opened !== query;
  const focused = document.activeElement === box || document.activeElement === byId("collapse");
  byId("issue").hidden = !closed;
  box.hidden = closed;
  byId("collapse").hidden = !long || closed;
  if (!closed) return;
  byId("issue-title").textContent = titleOf(query);
  byId("issue-size").textContent = counted(query.trim().split("\n").length, "line");
  if (focused) byId("issue").focus({ preventScroll: true });
};

/** Close it again with the next search. */
export const closeQuery = () => {
  opened = null;
};

/** Go to the box, with its whole text. */
export const focusQuery = ({ select = false } = {}) => {
  const box = byId("query");
  if (box.hidden) {
    opened = box.value;
    showQuery(box.value);
  }
  box.focus();
  if (select) box.select();
};

export const makePasted = () => {
  byId("issue").addEventListener("click", () => focusQuery());
  byId("collapse").addEventListener("click", () => {
    closeQuery();
    showQuery(byId("query").value);
  });
};
