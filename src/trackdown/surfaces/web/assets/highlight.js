// Source → lines of coloured text. A scanner, not a parser: it never fails, and it never makes markup of what it reads.

import { clean, h } from "./dom.js";
import { LANGUAGES } from "./languages.js";

const LONGEST_LINE = 2000;
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const either = (parts) => parts.filter(Boolean).join("|");
const patterns = new Map();

const pattern = (name) => {
  if (patterns.has(name)) return patterns.get(name);
  const language = LANGUAGES[name];
  const until = (open, close) =>
    `${escaped(open)}(?:\\\\[\\s\\S]|(?!${escaped(close)})[^\\\\])*(?:${escaped(close)}|$)`;
  const comment = either([
    ...(language.b || []).map(
      ([open, close]) => `${escaped(open)}(?:(?!${escaped(close)})[\\s\\S])*(?:${escaped(close)}|$)`,
    ),
    ...(language.c || []).map((open) => `${escaped(open)}[^\\n]*`),
  ]);
  const string = either([
    ...(language.m || []).map(([open, close]) => until(open, close)),
    ...(language.s || []).map((quote) => `${quote}(?:\\\\.|[^${quote}\\\\\\n])*${quote}?`),
    language.h && "'(?:\\\\[^']{1,8}|[^'\\\\\\n])'", // a character; a lone quote may be a lifetime
  ]);
  const decorator = either([language.decorator && "@[A-Za-z_][\\w.]*", language.macro && "#[ \\t]*[a-z]+"]);
  const made = new RegExp(
    `(?<comment>${comment})|(?<string>${string})|${decorator && `(?<decorator>${decorator})|`}` +
      "(?<number>\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)\\w*)|(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)",
    "gu",
  );
  patterns.set(name, made);
  return made;
};

/** Pieces [kind, text] that together are the source. */
export const pieces = (source, name) => {
  const language = LANGUAGES[name];
  if (!language) return [["", source]];
  const found = [];
  let end = 0;
  for (const match of source.matchAll(pattern(name))) {
    if (match.index > end) found.push(["", source.slice(end, match.index)]);
    end = match.index + match[0].length;
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    found.push([kind === "word" ? wordKind(match[0], source, end, language) : kind, match[0]]);
  }
  if (end < source.length) found.push(["", source.slice(end)]);
  return found;
};

const wordKind = (word, source, end, language) => {
  if (language.k.has(word)) return "keyword";
  if (source[end] === "(" || (source[end] === "!" && source[end + 1] === "("))
    return /^\p{Lu}/u.test(word) ? "type" : "call";
  return /^\p{Lu}\p{L}*\p{Ll}/u.test(word) ? "type" : "";
};

const letters = /\p{L}/u;
const lower = /\p{Ll}/u;

/** A text as nodes, with the terms in it marked. A term counts where a word or a part of a camelCase name begins. */
export const marked = (text, terms) => {
  if (!terms.length) return [text];
  const wanted = new RegExp(terms.map(escaped).join("|"), "giu");
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(wanted)) {
    const [before, after] = [text[match.index - 1] || "", text[match.index + match[0].length] || ""];
    const begins = !letters.test(before) || (lower.test(before) && !lower.test(match[0][0]));
    if (!begins || (lower.test(after) && !/\p{Lu}$/u.test(match[0]))) continue;
    nodes.push(text.slice(end, match.index), h("mark", {}, match[0]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== "");
};

/** Pieces of a line as nodes, with spans of characters marked. A character outside the BMP counts as one. */
const spanned = (parts, spans) => {
  let at = 0;
  return parts.map(([kind, text]) => {
    const nodes = [];
    let run = "",
      inside = false;
    const end = () => {
      if (run) nodes.push(inside ? h("mark", {}, run) : run);
      run = "";
    };
    for (const character of text) {
      const within = spans.some(([first, last]) => at >= first && at < last);
      if (within !== inside) end();
      inside = within;
      run += character;
      at += 1;
    }
    end();
    return kind ? h("span", { class: `t-${kind}` }, nodes) : nodes;
  });
};

/** The pieces of each line of a source. */
export const linesOf = (source, language) => {
  const lines = [[]];
  const short = clean(source).replace(/[^\n]{2001,}/g, (line) => `${line.slice(0, LONGEST_LINE)}…`);
  for (const [kind, text] of pieces(short, language)) {
    text.split("\n").forEach((part, number) => {
      if (number) lines.push([]);
      if (part) lines.at(-1).push([kind, part]);
    });
  }
  if (lines.length > 1 && !lines.at(-1).length) lines.pop();
  return lines;
};

/** One line as it is shown: its pieces, its number, and what matches in it: `spans`, or words. */
export const row = (parts, { at = null, spans = null, terms = [], here = false } = {}) =>
  h(
    "span",
    { class: `l${here ? " here" : ""}${spans?.length ? " hit" : ""}`, "data-n": at },
    spans?.length
      ? spanned(parts, spans)
      : parts.map(([kind, text]) =>
          kind ? h("span", { class: `t-${kind}` }, marked(text, terms)) : marked(text, terms),
        ),
    "\n",
  );

/** A block of rows. */
export const block = (rows, { label, bare = false }) =>
  h(
    "pre",
    { class: bare ? "code bare" : "code", translate: "no", tabindex: "0", role: "region", "aria-label": label },
    h("code", {}, rows),
  );

/**
 * Source as lines of code. Without `first` there are no numbers. `here` says which lines to tint, `hits` which spans of
 * which lines match.
 */
export const code = (source, language, { first = null, terms = [], here = null, hits = new Map(), label = "Source" } = {}) =>
  block(
    linesOf(source, language).map((parts, number) => {
      const at = first === null ? null : first + number;
      return row(parts, { at, terms, spans: hits.get(at), here: Boolean(here && at >= here[0] && at <= here[1]) });
    }),
    { label, bare: first === null },
  );
