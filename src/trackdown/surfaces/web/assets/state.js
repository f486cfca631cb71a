// What the page shows, as its address says it. It stands behind the #, which browsers do not send: what somebody searches
// for is in no log, and a pasted issue may be long.

import { pairsOf, parameters } from "./address.js";

export const DEFAULTS = Object.freeze({
  view: "search",
  q: "",
  repository: "",
  level: "function",
  effort: "balanced",
  language: [],
  folder: "",
  at: "",
  tests: true,
  k: 10,
  pick: "",
  of: "",
  tab: "",
  target: "",
  depth: 1,
  direction: "both",
});
export const VIEWS = ["search", "history", "graph"];
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
export const FILTERS = ["repository", "level", "effort", "language", "folder", "at", "tests", "k"];
const ALLOWED = {
  view: VIEWS,
  level: LEVELS.map(([value]) => value),
  effort: EFFORTS.map(([value]) => value),
  tab: ["why", "source", "related"],
  direction: ["both", "in", "out"],
};
const NUMBERS = { k: [1, 100], depth: [1, 3] };

/** A state from what stands behind the #. What cannot be read is left as it is by default. */
export const read = (hash) => {
  const state = { ...DEFAULTS, language: [] };
  for (const [name, value] of pairsOf(hash.replace(/^#/, ""))) {
    if (!Object.hasOwn(DEFAULTS, name)) continue;
    if (name === "language") state.language.push(value);
    else if (name === "tests") state.tests = value !== "0";
    else if (NUMBERS[name]) {
      const number = Number(value),
        [least, most] = NUMBERS[name];
      if (Number.isInteger(number) && number >= least && number <= most) state[name] = number;
    } else if (!ALLOWED[name] || ALLOWED[name].includes(value)) state[name] = value;
  }
  return state;
};

/** What to put behind the #: everything that is not as it is by default. */
export const written = (state) => {
  const pairs = [];
  for (const [name, normal] of Object.entries(DEFAULTS)) {
    const value = state[name];
    if (name === "language") pairs.push(...[...value].sort().map((one) => [name, one]));
    else if (name === "tests") {
      if (!value) pairs.push([name, "0"]);
    } else if (value !== normal) pairs.push([name, String(value)]);
  }
  return `#${parameters(pairs)}`;
};

export const current = () => read(location.hash);

/** The address of a state that differs from the present one in this. */
export const link = (changes) => written({ ...current(), ...changes });

let hear = () => {};
/** Who is told when the state changed, with the new one. */
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
