// What the results have in common, counted: chips that narrow them down at once, without another search.

import { all, counted, h, oneLine } from "./dom.js";
import { languageName } from "./languages.js";
import { current, go } from "./state.js";

/** So many results are fetched and counted, however many are shown. */
export const POOL = 50;
const MOST_VALUES = 6;
const MOSTLY = 0.6;
const ROLES = { code: "Code", test: "Tests", prose: "Documentation", vendored: "Third-party", generated: "Generated" };
const named = (names) => (value) => names[value] || oneLine(value);
const GROUPS = [
  ["repository", "Repository", (result) => result.repository, oneLine],
  ["language", "Language", (result) => result.language, (value) => languageName(oneLine(value))],
  ["folder", "Folder", (result) => result.path, (value) => `${oneLine(value)}/`],
  ["kind", "Kind", (result) => result.kind, oneLine],
  ["role", "Role", (result) => result.role, named(ROLES)],
];
const OF = Object.fromEntries(GROUPS.map(([name, , of]) => [name, of]));

const matches = (name, value, result) =>
  name === "folder" ? result.path.startsWith(`${value}/`) : OF[name](result) === value;

/** The chosen values of each group: { kind: ["method"] }. What is no facet is left out. */
const chosenIn = (only) => {
  const found = {};
  for (const one of only) {
    const [, name, value] = /^([a-z]+):([\s\S]+)$/.exec(one) || [];
    if (Object.hasOwn(OF, name || "")) (found[name] ||= []).push(value);
  }
  return found;
};

const passes = (result, chosen, except = "") =>
  Object.entries(chosen).every(
    ([name, values]) => name === except || values.some((value) => matches(name, value, result)),
  );

/** The results that pass what was chosen. */
export const narrowed = (results, only) => {
  const chosen = chosenIn(only);
  return results.filter((result) => passes(result, chosen));
};

const folderOf = (path) => path.split("/").slice(0, -1);

/** The folders right below one, each as deep as all of its results are. */
const below = (paths, folder) => {
  const children = new Map();
  for (const parts of paths) {
    if (parts.length <= folder.length || folder.some((part, at) => parts[at] !== part)) continue;
    const name = parts[folder.length];
    children.set(name, [...(children.get(name) || []), parts]);
  }
  return Array.from(children.values(), (inside) => {
    let depth = folder.length + 1;
    while (inside.every((parts) => parts.length > depth && parts[depth] === inside[0][depth])) depth += 1;
    return { folder: inside[0].slice(0, depth), count: inside.length };
  });
};

/** The folders worth choosing from: those at the top, and what is in one that has most of the results. */
export const foldersOf = (results) => {
  const paths = results.map(({ path }) => folderOf(path));
  let found = below(paths, []);
  if (found.length === 1 && found[0].count === paths.length) found = below(paths, found[0].folder);
  const main = found.find(({ count }) => count > MOSTLY * paths.length);
  const inside = main ? below(paths, main.folder) : [];
  return [...found, ...inside].map(({ folder }) => folder.join("/"));
};

/** The groups that tell results apart, with how many results each value would leave. */
export const facetsOf = (results, only) => {
  const chosen = chosenIn(only);
  return GROUPS.map(([name, title, of, label]) => {
    const others = results.filter((result) => passes(result, chosen, name));
    const values = new Set([...(name === "folder" ? foldersOf(results) : results.map(of)), ...(chosen[name] || [])]);
    const counts = Array.from(values, (value) => ({
      value,
      label: label(value),
      on: Boolean(chosen[name]?.includes(value)),
      count: others.filter((result) => matches(name, value, result)).length,
    }));
    counts.sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
    const first = counts.filter(({ on, count }, at) => on || (count > 0 && at < MOST_VALUES));
    return { name, title, values: values.size > 1 || chosen[name] ? first : [] };
  }).filter(({ values }) => values.length);
};

const chip = (name, { value, label, on, count }) => {
  const key = `${name}:${value}`;
  const click = () => {
    const { only } = current();
    go({ only: on ? only.filter((one) => one !== key) : [...only, key], pick: "", of: "", tab: "" });
  };
  return h(
    "button",
    { type: "button", class: "chip", "aria-pressed": String(on), "data-only": key, on: { click } },
    label,
    h("span", { class: "count" }, `${count}`),
  );
};

const ARRANGEMENTS = [
  ["", "By rank"],
  ["file", "By file"],
];

const arrangement = (group) =>
  h(
    "div",
    { class: "segments arrangement", role: "radiogroup", "aria-label": "Order of the results" },
    ARRANGEMENTS.map(([value, text]) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name: "group", value, checked: group === value, on: { change: () => go({ group: value }) } }),
        h("span", {}, text),
      ),
    ),
  );

/** Put the chips, and the choice of an order, into an element. */
export const showFacets = (element, answer, state) => {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const groups = facetsOf(answer.results, state.only).map(({ name, title, values }) =>
    h(
      "div",
      { class: "facet", role: "group", "aria-label": `Narrow by ${title.toLowerCase()}` },
      h("span", { class: "facet-name", "aria-hidden": "true" }, title),
      values.map((value) => chip(name, value)),
    ),
  );
  element.replaceChildren(
    h("div", { class: "facet-groups" }, groups),
    answer.level !== "file" && answer.results.length > 1 ? arrangement(state.group) : "",
  );
  if (!focused) return;
  const again = focused.dataset.only
    ? all(".chip", element).find((one) => one.dataset.only === focused.dataset.only)
    : all("input", element).find((one) => one.value === focused.value);
  again?.focus({ preventScroll: true });
};

/** What searches only there: the chosen values that the server can filter by, as changes of the state. */
const serverSide = (only) => {
  const chosen = chosenIn(only);
  const changes = {};
  if (chosen.language) changes.language = chosen.language;
  if (chosen.folder?.length === 1) [changes.folder] = chosen.folder;
  if (chosen.role && !chosen.role.includes("test")) changes.tests = false;
  return changes;
};

/** The line below the results: how many there are more, and how to see them. */
export const moreOf = (answer, passing, state) => {
  const { only, k } = state;
  const left = passing - k;
  const button = (text, changes) =>
    h("button", { type: "button", class: "button", on: { click: () => go(changes, { quiet: true }) } }, text);
  const narrower = only.length ? serverSide(only) : {};
  const kept = only.filter((one) => !Object.hasOwn(narrower, one.split(":")[0]) && !(one.startsWith("role:") && "tests" in narrower));
  const best = `the best ${counted(answer.results.length, "result")}`;
  return h(
    "p",
    { class: "more" },
    left > 0 ? button(`Show ${Math.min(10, left)} more`, { k: k + Math.min(10, left) }) : "",
    Object.keys(narrower).length
      ? h(
          "button",
          { type: "button", class: "button", on: { click: () => go({ ...narrower, only: kept }) } },
          "Search only there",
        )
      : "",
    only.length
      ? h("span", {}, passing ? `${passing} of ${best}` : `None of ${best} is like this.`)
      : left > 0
        ? h("span", {}, `${Math.min(k, passing)} of ${best}`)
        : "",
  );
};
