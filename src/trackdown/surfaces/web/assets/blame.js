// Who last changed the lines of a place, when, in which commit, and for which issue.

import { get } from "./api.js";
import { commitLink } from "./commit_view.js";
import { h, oneLine } from "./dom.js";
import { keyOf, lineRange } from "./places.js";

export const blame = async (place, at, signal) => {
  const answer = await get("blame", { repository: place.repository, target: keyOf(place), at }, signal);
  return h(
    "ul",
    { class: "blame linked" },
    answer.lines.map((one) => line(one, place.repository)),
  );
};

const line = (one, repository) =>
  h(
    "li",
    {},
    h("span", { class: "lines" }, lineRange(one)),
    one.commit
      ? h(
          "a",
          { href: commitLink(one.commit, repository) },
          h("span", {}, oneLine(one.subject)),
          h(
            "span",
            { class: "soft" },
            ` ${[one.author, one.date, ...one.issues].map(oneLine).join(" · ")}`,
          ),
        )
      : h("span", { class: "soft" }, "Not committed yet"),
  );
