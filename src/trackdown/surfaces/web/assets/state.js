// The page's state is in the URL's fragment, so you can share it. Browsers don't send the fragment: queries stay out of
// logs, and a pasted issue may be long.

import { pairsOf, parameters } from "./address.js";

export const DEFAULTS = Object.freeze({
  view: "search",
  q: "",
  issue: "",
  repository: "",
  level: "function",
  effort: "balanced",
  language: [],
  folder: "",
  at: "",
  tests: true,
  k: 10,
  only: [],
  group: "",
  mode: "",
  rerank: "",
  budget: "",
  candidates: "",
  adaptive: false,
  graph: false,
  gar: false,
  reco: false,
  pick: "",
  of: "",
  tab: "",
  target: "",
  depth: 1,
  direction: "both",
  commit: "",
});
export const VIEWS = ["search", "history", "graph", "commit"];
export const LEVELS = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["symbol", "Both"],
  ["file", "Files"],
];
export const EFFORTS = [
  ["fast", "Fast"],
  ["balanced", "Balanced"],
  ["thorough", "Thorough"],
];
export const COUNTS = [5, 10, 20, 50];
export const FLAGS = ["adaptive", "graph", "gar", "reco"];
export const OPTIONS = ["mode", "rerank", "budget", "candidates", ...FLAGS];
export const FILTERS = ["repository", "level", "effort", "language", "folder", "at", "tests", "k", "only", ...OPTIONS];
const LISTS = ["language", "only"];
const ALLOWED = {
  view: VIEWS,
  level: LEVELS.map(([value]) => value),
  effort: EFFORTS.map(([value]) => value),
  rerank: ["1", "0"],
  group: ["file"],
  tab: ["why", "source", "related", "blame"],
  direction: ["both", "in", "out"],
};
const NUMBERS = { k: [1, 100], depth: [1, 3], budget: [0, 60000], candidates: [1, 1000] };

/** Read a state from a fragment. What cannot be read keeps its default. */
export const read = (hash) => {
  const state = { ...DEFAULTS, language: [], only: [] };
  for (const [name, value] of pairsOf(hash.replace(/^#/, ""))) {
    if (!Object.hasOwn(DEFAULTS, name)) continue;
    if (LISTS.includes(name)) state[name].push(value);
    else if (name === "tests") state.tests = value !== "0";
    else if (FLAGS.includes(name)) state[name] = value === "1";
    else if (NUMBERS[name]) {
      const number = Number(value),
        [least, most] = NUMBERS[name];
      if (Number.isInteger(number) && number >= least && number <= most) state[name] = number;
    } else if (!ALLOWED[name] || ALLOWED[name].includes(value)) state[name] = value;
  }
  return state;
};

/** Write a state as a fragment: everything that differs from its default. */
export const written = (state) => {
  const pairs = [];
  for (const [name, normal] of Object.entries(DEFAULTS)) {
    const value = state[name];
    if (LISTS.includes(name)) pairs.push(...[...value].sort().map((one) => [name, one]));
    else if (name === "tests") {
      if (!value) pairs.push([name, "0"]);
    } else if (FLAGS.includes(name)) {
      if (value) pairs.push([name, "1"]);
    } else if (value !== normal) pairs.push([name, String(value)]);
  }
  return `#${parameters(pairs)}`;
};

export const current = () => read(location.hash);

/** The fragment of the current state with some changes. */
export const link = (changes) => written({ ...current(), ...changes });

let hear = () => {};
/** Set the function to call with the new state after a change. */
export const listen = (heard) => {
  hear = heard;
};

/** Change the state. `quiet` replaces the entry in the browser's history instead of adding one. */
export const go = (changes, { quiet = false } = {}) => {
  const address = link(changes);
  if (address !== (location.hash || "#"))
    history[quiet ? "replaceState" : "pushState"](null, "", address === "#" ? "./" : address);
  hear(current());
};
addEventListener("popstate", () => hear(current()));
