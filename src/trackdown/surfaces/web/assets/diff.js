// A unified diff of one file as rows: what went, what came, and the numbers of the lines as they are after it.

import { clean, counted, h, oneLine } from "./dom.js";
import { block } from "./highlight.js";

const LONGEST_LINE = 2000;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;
const KINDS = { "+": "add", "-": "del", " ": "same" };

/** Rows { kind, at, text } of a diff. What stands before the first hunk is left out. */
export const rowsOf = (diff) => {
  const rows = [];
  let at = 0,
    old = 0;
  for (const line of clean(diff).split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [old, at] = [Number(hunk[1]), Number(hunk[2])];
      rows.push({ kind: "hunk", at: null, text: hunk[3] });
    } else if (rows.length && Object.hasOwn(KINDS, line[0] || "")) {
      const kind = KINDS[line[0]];
      rows.push({ kind, at: kind === "del" ? old : at, text: line.slice(1, LONGEST_LINE) });
      if (kind !== "del") at += 1;
      if (kind !== "add") old += 1;
    }
  }
  return rows;
};

const SIGNS = { add: "+", del: "−", same: " " };

const row = ({ kind, at, text }) =>
  kind === "hunk"
    ? h("span", { class: "hunk" }, `⋮ ${text}\n`)
    : h("span", { class: `l ${kind}`, "data-n": at }, h("span", { class: "sign" }, SIGNS[kind]), `${text}\n`);

/** The diff of a file as a block of code, with a word on what is not shown of it. */
export const diffOf = (file) => {
  const rows = rowsOf(file.diff);
  const said = file.left_out || (file.binary ? "binary file" : rows.length ? "" : "no lines changed");
  return [
    rows.length ? block(rows.map(row), { label: `Changes of ${oneLine(file.path)}` }) : "",
    said ? h("p", { class: "unsaid" }, oneLine(said)) : "",
    file.cut ? h("p", { class: "unsaid" }, `${counted(file.cut, "more line")} of this diff`) : "",
  ];
};
