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

/** Source as lines of code. Without `first` there are no numbers. `here` says which lines to tint. */
export const code = (source, language, { first = null, terms = [], here = null, label = "Source" } = {}) => {
  const lines = [[]];
  for (const [kind, text] of pieces(
    clean(source).replace(/[^\n]{2001,}/g, (line) => `${line.slice(0, LONGEST_LINE)}…`),
    language,
  )) {
    text.split("\n").forEach((part, number) => {
      if (number) lines.push([]);
      if (part) lines.at(-1).push(kind ? h("span", { class: `t-${kind}` }, marked(part, terms)) : marked(part, terms));
    });
  }
  if (lines.length > 1 && !lines.at(-1).length) lines.pop();
  const rows = lines.map((nodes, number) => {
    const at = first === null ? null : first + number;
    return h("span", { class: here && at >= here[0] && at <= here[1] ? "l here" : "l", "data-n": at }, nodes, "\n");
  });
  return h(
    "pre",
    {
      class: first === null ? "code bare" : "code",
      translate: "no",
      tabindex: "0",
      role: "region",
      "aria-label": label,
    },
    h("code", {}, rows),
  );
};
