// Code near a place: by calls, by classes, by words, by what changed together.

import { get } from "./api.js";
import { breakable, h, oneLine } from "./dom.js";
import { keyOf, lineRange, locationOf, pathNodes } from "./places.js";
import { link } from "./state.js";

const MOST = 8;
const GROUPS = [
  ["callers", "Called by"],
  ["callees", "Calls"],
  ["bases", "Base classes"],
  ["subclasses", "Subclasses"],
  ["importers", "Imported by"],
  ["imports", "Imports"],
  ["similar", "Similar code"],
  ["siblings", "Siblings"],
];
const names = new Map();

/** What a place is called that is not among the results, as far as somebody has come across it. */
export const knownName = (repository, key) => names.get(`${repository}\0${key}`) || "";

export const related = async (place, at, signal) => {
  const answer = await get(
    "related",
    { repository: place.repository, location: locationOf(place), k: MOST, at },
    signal,
  );
  const groups = GROUPS.filter(([name]) => answer[name].length).map(([name, title]) =>
    group(
      title,
      answer[name].map((one) => relative(one, place.repository)),
    ),
  );
  if (answer.changes_together.length)
    groups.push(
      group(
        "Changes together with",
        answer.changes_together.map((one) => together(one, place.repository)),
      ),
    );
  return h(
    "div",
    {},
    groups.length
      ? groups
      : h(
          "p",
          { class: "soft" },
          "Nothing calls this, nothing is similar, and it never changed together with another file.",
        ),
  );
};

const group = (title, items) =>
  h("section", { class: "relatives" }, h("h3", { class: "section-name" }, title), h("ul", {}, items));

const open = (place, repository) => link({ pick: keyOf(place), of: repository, tab: "source", view: "search" });

const relative = (one, repository) => {
  names.set(`${repository}\0${keyOf(one)}`, one.symbol);
  return h(
    "li",
    {},
    h(
      "a",
      { href: open(one, repository) },
      h("span", { class: "name" }, breakable(one.symbol || one.path.split("/").pop())),
      one.how && one.how !== "exact"
        ? h(
            "span",
            { class: "how" },
            one.how === "name" ? "by name" : oneLine(one.how),
            one.through ? ` through ${oneLine(one.through)}` : "",
          )
        : "",
      h("span", { class: "place" }, breakable(one.path), one.symbol ? `:${lineRange(one)}` : ""),
    ),
  );
};

const together = (one, repository) =>
  h(
    "li",
    {},
    h(
      "a",
      { href: open({ path: one.path, start_line: 1, end_line: 60 }, repository) },
      h("span", { class: "name" }, pathNodes({ path: one.path }, { lines: false })),
      h(
        "span",
        { class: "place" },
        `in ${one.commits} of ${Math.round(one.commits / one.share)} commits; latest ${oneLine(one.latest)}`,
      ),
    ),
  );
