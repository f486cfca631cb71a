// One commit: what it says, what it changed, and what it has to do with others.

import { breakable, byId, clean, counted, h, oneLine } from "./dom.js";
import { diffOf } from "./diff.js";
import { LoadedView } from "./loaded_view.js";
import { copy } from "./notice.js";
import { copyButton, keyOf, pathNodes } from "./places.js";
import { link } from "./state.js";
import { say, showNotes } from "./status.js";

const OPEN = 6;
const CHANGES = { added: "added", removed: "removed", modified: "changed" };

/** The address of a commit. */
export const commitLink = (commit, repository) =>
  link({ view: "commit", commit, of: repository, pick: "", tab: "", target: "", depth: 1, direction: "both" });

const back = (changes) => link({ commit: "", of: "", ...changes });

export class CommitView extends LoadedView {
  /** `came`: from another view of this page, so that there is a way back. */
  show(state, { again = false, came = false } = {}) {
    this.came ||= came;
    const { repositories } = this.server;
    const repository = state.of || state.repository || (repositories.length === 1 ? repositories[0].name : "");
    return this.load("show", { commit: state.commit, repository }, { saying: "Reading the commit…", again });
  }

  put(answer) {
    showNotes(answer.notes);
    say(
      `${counted(answer.files.length, "file")} changed, ${counted(answer.added, "line")} added, ${answer.removed.toLocaleString("en")} removed`,
    );
    byId("stage").replaceChildren(
      h("article", { class: "one-commit", "aria-labelledby": "commit-title" }, head(answer, this.came), ...body(answer)),
    );
  }
}

const head = (answer, came) => {
  const rest = answer.message.slice(answer.message.indexOf("\n") + 1).trim();
  return h(
    "header",
    {},
    h(
      "div",
      { class: "graph-head" },
      h("h2", { tabindex: "-1", id: "commit-title" }, oneLine(answer.subject)),
      came
        ? h("button", { type: "button", class: "button", on: { click: () => history.back() } }, "← Back")
        : h("a", { class: "button", href: back({ view: "history" }) }, "← History"),
    ),
    h(
      "p",
      { class: "facts" },
      h(
        "span",
        {},
        h("code", {}, answer.commit.slice(0, 10)),
        copyButton(answer.commit, `Copy the id ${answer.commit.slice(0, 10)}`, copy),
      ),
      h("span", {}, oneLine(answer.author)),
      h("time", { datetime: answer.time }, answer.time.slice(0, 10)),
      answer.issues.length ? h("span", {}, `Issues ${answer.issues.map(oneLine).join(", ")}`) : "",
      h("a", { href: back({ view: "search", at: `${answer.commit}~1` }) }, "Search the code before it"),
      h("a", { href: back({ view: "history", q: oneLine(answer.subject) }) }, "Commits like this one"),
    ),
    rest && answer.message.includes("\n") ? h("p", { class: "message" }, clean(rest)) : "",
  );
};

const section = (title, content) =>
  h("section", {}, h("h3", { class: "section-name" }, title), h("ul", { class: "linked" }, content));

const body = (answer) => [
  answer.units.length ? section("Functions and classes", answer.units.map((unit) => changed(unit, answer))) : "",
  h("section", { class: "diffs", "aria-label": "Files" }, answer.files.map(file)),
  answer.together.length ? section("Often changed together with these", answer.together.map((one) => tied(one, answer))) : "",
  answer.similar.length ? section("Similar commits", answer.similar.map(similar)) : "",
];

const opened = (place, repository) =>
  back({ view: "search", pick: keyOf(place), of: repository, tab: "source", commit: "" });

const changed = (unit, { repository }) => {
  const name = [
    h("span", { class: "name" }, breakable(unit.symbol)),
    h("span", { class: "soft" }, ` ${CHANGES[unit.change] || oneLine(unit.change)}`),
    h("span", { class: "count" }, ` +${unit.added} −${unit.removed}`),
  ];
  return h("li", {}, unit.now ? h("a", { href: opened(unit.now, repository) }, name) : h("span", {}, name));
};

const tied = (one, { repository }) =>
  h(
    "li",
    {},
    h(
      "a",
      { href: opened({ path: one.path, start_line: 1, end_line: 60 }, repository) },
      h("span", { class: "name" }, breakable(one.path)),
      h("span", { class: "soft" }, ` ${counted(one.commits, "commit")} with ${oneLine(one.beside)}`),
    ),
  );

const similar = (one) =>
  h(
    "li",
    {},
    h(
      "a",
      { href: commitLink(one.commit, one.repository) },
      h("span", {}, oneLine(one.subject)),
      h("span", { class: "soft" }, ` ${oneLine(one.date)}`),
    ),
  );

const file = (one, number) =>
  h(
    "details",
    { class: "diff", open: number < OPEN },
    h(
      "summary",
      {},
      one.old_path ? [breakable(one.old_path), " → "] : "",
      pathNodes({ path: one.path }, { lines: false }),
      h("span", { class: "soft" }, one.status === "modified" ? "" : ` ${oneLine(one.status)}`),
      h("span", { class: "count" }, ` +${one.added} −${one.removed}`),
    ),
    diffOf(one),
  );
