// Places in a repository: how they are named in addresses, shown, copied and opened in an editor.

import { encode } from "./address.js";
import { breakable, h, icon, oneLine } from "./dom.js";

const EDITOR = "trackdown.editor";
const LONG_NAME = 26;
const encoded = (path) => path.split("/").map(encode).join("/");
const joined = (root, path) => `${root.replace(/\/$/, "")}/${path}`;
const FILE = (scheme) => (root, path, line) => `${scheme}://file${encoded(joined(root, path))}:${line}`;

/** Editors that open a file by a link. */
export const EDITORS = {
  vscode: ["VS Code", FILE("vscode")],
  "vscode-insiders": ["VS Code Insiders", FILE("vscode-insiders")],
  vscodium: ["VSCodium", FILE("vscodium")],
  cursor: ["Cursor", FILE("cursor")],
  windsurf: ["Windsurf", FILE("windsurf")],
  zed: ["Zed", FILE("zed")],
  idea: ["IntelliJ IDEA", (root, path, line) => `idea://open?file=${encode(joined(root, path))}&line=${line}`],
  pycharm: ["PyCharm", (root, path, line) => `pycharm://open?file=${encode(joined(root, path))}&line=${line}`],
  subl: [
    "Sublime Text",
    (root, path, line) => `subl://open?url=${encode(`file://${joined(root, path)}`)}&line=${line}`,
  ],
};

export const chosenEditor = () => {
  try {
    return localStorage.getItem(EDITOR) in EDITORS ? localStorage.getItem(EDITOR) : "vscode";
  } catch {
    return "vscode";
  }
};
export const chooseEditor = (name) => {
  try {
    localStorage.setItem(EDITOR, name);
  } catch {
    /* then it holds for this page only */
  }
};

let roots = new Map();
/** Where repositories stand on disk, as far as the server says so. Returns whether that is new. */
export const knowRoots = (repositories) => {
  const before = JSON.stringify([...roots]);
  roots = new Map(repositories.filter(({ root }) => root).map(({ name, root }) => [name, root]));
  return JSON.stringify([...roots]) !== before;
};

/** A link that opens a place in the chosen editor; null when the file as shown is not on this disk. */
export const editorLink = (place, at) => {
  const root = at ? null : roots.get(place.repository);
  const [name, address] = EDITORS[chosenEditor()];
  return root ? { name, href: address(root, place.path, place.line || place.start_line || 1) } : null;
};

/** How addresses name a place: PATH:FIRST-LAST. */
export const keyOf = (place) => `${place.path}:${place.start_line || 1}-${place.end_line || place.start_line || 1}`;
export const parsePlace = (text) => {
  const [, path, first, last] = /^([\s\S]+?)(?::(\d+)(?:-(\d+))?)?$/.exec(text);
  return { path, start_line: Number(first) || 1, end_line: Number(last) || Number(first) || 1, symbol: "", kind: "" };
};
/** What people copy: the line to go to. */
export const lineOf = (place) => `${place.path}:${place.line || place.start_line || 1}`;
/** How the server is asked about a place. */
export const locationOf = (place) => `${place.path}:${place.start_line || 1}`;

export const lineRange = ({ start_line: first, end_line: last }) =>
  last && last !== first ? `${first}–${last}` : `${first}`;

/** A path with its file's name in ink, and its lines. */
export const pathNodes = (place, { lines = true } = {}) => {
  const [, folder, file] = /^([\s\S]*\/)?([^/]*)$/.exec(place.path);
  const numbers = lines && place.start_line && place.kind !== "file" ? `:${lineRange(place)}` : "";
  return h(
    "span",
    { class: "path" },
    folder ? breakable(folder) : "",
    h("span", { class: "base" }, breakable(file)),
    numbers ? [h("wbr"), h("span", { class: "lines" }, numbers)] : "",
  );
};

/** A symbol with what encloses it set back. */
export const symbolNodes = (place) => {
  if (!place.symbol) return breakable(place.path.split("/").pop());
  const parts = oneLine(place.symbol).split(".");
  const last = parts.pop();
  return [
    parts.length ? h("span", { class: "outer" }, breakable(`${parts.join(".")}.`), h("wbr")) : "",
    last.length > LONG_NAME ? breakable(last) : last,
  ];
};

export const copyButton = (text, label, copy) =>
  h(
    "button",
    { type: "button", class: "icon-button", title: label, "aria-label": label, on: { click: () => copy(text) } },
    icon("copy"),
  );
