// Past commits like a query, with the files they touched under their present names.

import { commitLink } from "./commit_view.js";
import { byId, counted, h, oneLine } from "./dom.js";
import { marked } from "./highlight.js";
import { LoadedView } from "./loaded_view.js";
import { copy } from "./notice.js";
import { copyButton, keyOf, pathNodes } from "./places.js";
import { current, go, link } from "./state.js";
import { begun, nothing } from "./states.js";
import { say, showNotes } from "./status.js";

const MOST_FILES = 8;

export class HistoryView extends LoadedView {
  show(state, { again = false } = {}) {
    if (state.q.trim()) {
      const asked = { query: state.q, k: state.k, at: state.at, repository: state.repository };
      return this.load("history", asked, { saying: "Reading past commits…", again, ofQuery: true });
    }
    this.leave();
    this.key = null;
    say("");
    showNotes([]);
    byId("stage").replaceChildren(begun(this.server));
    return null;
  }

  put(answer) {
    const many = answer.snapshots.length > 1;
    showNotes(answer.notes);
    say(answer.commits.length ? `${counted(answer.commits.length, "past commit")}, most similar first` : "");
    byId("stage").replaceChildren(
      answer.commits.length
        ? h(
            "section",
            { "aria-labelledby": "results-title" },
            h("h2", { class: "unseen", id: "results-title" }, "Past commits"),
            h(
              "ol",
              { class: "past-commits", "aria-label": "Past commits" },
              answer.commits.map((commit) => item(commit, many)),
            ),
          )
        : nothing(current(), (changes) => go(changes), answer.notes),
    );
  }

  /** Go to the next or the former commit. */
  step(way) {
    const titles = Array.from(byId("stage").querySelectorAll(".commit h3 a"));
    if (!titles.length) return;
    const at = titles.findIndex((title) => title.closest(".commit").contains(document.activeElement));
    const next = titles[Math.max(0, Math.min(titles.length - 1, at + way))];
    next.focus({ preventScroll: true });
    next.closest(".commit").scrollIntoView({ block: "nearest" });
  }
}

const item = (commit, many) => {
  const before = link({
    view: "search",
    at: `${commit.commit}~1`,
    repository: many ? commit.repository : current().repository,
    pick: "",
    of: "",
    tab: "",
  });
  const files = h(
    "div",
    { class: "files" },
    commit.files.slice(0, MOST_FILES).map((path) => file(path, commit, many)),
  );
  const rest = commit.files.slice(MOST_FILES);
  if (rest.length)
    files.append(
      h(
        "button",
        {
          type: "button",
          on: { click: (event) => event.target.replaceWith(...rest.map((path) => file(path, commit, many))) },
        },
        `${rest.length} more`,
      ),
    );
  return h(
    "li",
    { class: "commit" },
    h("time", {}, oneLine(commit.date)),
    h(
      "div",
      {},
      h(
        "h3",
        {},
        h(
          "a",
          { href: commitLink(commit.commit, many ? commit.repository : "") },
          marked(oneLine(commit.subject), commit.matched),
        ),
      ),
      h(
        "p",
        { class: "facts" },
        h(
          "span",
          {},
          h("code", {}, commit.commit.slice(0, 10)),
          copyButton(commit.commit, `Copy the id ${commit.commit.slice(0, 10)}`, copy),
        ),
        h("span", {}, oneLine(commit.author)),
        many ? h("span", {}, oneLine(commit.repository)) : "",
        commit.issues?.length ? h("span", {}, commit.issues.map(oneLine).join(", ")) : "",
        h("a", { href: before }, "Search the code before it"),
      ),
      commit.files.length ? files : h("p", { class: "facts" }, "None of its files still exists."),
    ),
  );
};

const file = (path, commit, many) =>
  h(
    "a",
    {
      href: link({
        view: "search",
        pick: keyOf({ path, start_line: 1, end_line: 60 }),
        of: many ? commit.repository : "",
        tab: "source",
      }),
    },
    pathNodes({ path }, { lines: false }),
  );
