// Elements from names and text. Nothing here or elsewhere in the page parses markup: what comes from a repository is only
// ever text of a node or value of an attribute.

const SVG = "http://www.w3.org/2000/svg";
const UNWELCOME = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g;

/** Text without control and direction characters, which could hide what it says; lines and tabs stay. */
export const clean = (text) => String(text).replace(/\r\n?/g, "\n").replace(UNWELCOME, "\ufffd");

/** The same on one line. */
export const oneLine = (text) => clean(text).replace(/[\n\t]/g, " ");

const fill = (element, properties, children) => {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, heard] of Object.entries(value)) element.addEventListener(event, heard);
    else if (name === "css") for (const [key, set] of Object.entries(value)) element.style.setProperty(key, set);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false && child !== ""),
  );
  return element;
};

/** An element: h("a", { class: "x", href: "#", on: { click } }, "text", child). */
export const h = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);

/** The same in SVG. */
export const s = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

export const byId = (id) => document.getElementById(id);
export const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));

const ICONS = {
  copy: ["M8 8h11v12H8z", "M5 16V4h11"],
  editor: ["M14 4h6v6", "M20 4l-9 9", "M18 14v6H4V6h6"],
  close: ["M6 6l12 12", "M18 6L6 18"],
};
export const icon = (name) =>
  s(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true" },
    ICONS[name].map((d) => s("path", { d })),
  );

/** 1 file, 2,028 files. */
export const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** A name that may break behind its separators and not within its words. */
export const breakable = (text) =>
  oneLine(text)
    .split(/(?<=[/+_.:-])(?=[^/+_.:\s-])/)
    .flatMap((part, number) => (number ? [h("wbr"), part] : [part]));
