// What stands on the page when there are no results to show: the beginning, nothing found, something wrong, waiting.

import { keepToken, usesToken } from "./api.js";
import { counted, h, oneLine } from "./dom.js";
import { DEFAULTS, FILTERS, link } from "./state.js";

const STEPS = {
  wait: "Waiting for another process that is indexing it",
  look: "Scanning files",
  parse: "Parsing files",
  history: "Reading commits",
  gather: "Gathering",
  vectors: "Computing vectors",
  references: "Reading references",
  rewritten: "Loading rewrites",
  download: "Downloading",
  import: "Importing",
  write: "Writing",
  build: "Building repositories",
  workers: "Waiting for a worker",
  tables: "Updating tables",
  ask: "Asking the language model",
  compare: "Comparing candidates",
  "read commits": "Reading past commits",
  "read code": "Reading code",
  deep: "Reading units for the deep index",
};
export const stepName = (step) => STEPS[step] || oneLine(step);

const WAYS = [
  ["Paste an issue", "Title, description, traceback: all of it. Names, paths and stack frames count as evidence.", "issue"],
  ["Ask a question", "In your own words.", "question"],
  ["Name something", "A class, a function or an error message, or part of one.", "name", "message"],
  [
    "Look at the past",
    "History finds past commits that match your words, with the files they touched under their current names.",
  ],
];

/** The beginning: what can be asked, and what there is to search; or the question for a token. */
export const begun = (server) =>
  server.locked ? failure(server.locked, () => {}) : beginning(server);

/** An example from the repository itself, as a link that searches for it. */
const example = ({ query, repository }) =>
  h("a", { class: "try", href: link({ q: query, view: "search", repository }) }, oneLine(query));

const beginning = ({ repositories, reports, examples }) =>
  h(
    "section",
    { class: "state", "aria-labelledby": "state-title" },
    h("h2", { id: "state-title" }, "Which code is this about?"),
    h(
      "p",
      {},
      "Trackdown ranks the functions, classes and files to look at, and says why. It searches the code as it is on disk now and what past commits changed.",
    ),
    h(
      "ul",
      { class: "ways" },
      WAYS.map(([name, said, ...kinds]) => {
        const tries = examples.filter(({ kind }) => kinds.includes(kind)).map(example);
        return h("li", {}, h("b", {}, name), h("span", {}, said, tries.length ? h("span", { class: "tries" }, tries) : ""));
      }),
    ),
    holdings(repositories),
    reports.length && !usesToken()
      ? h(
          "div",
          { class: "holdings" },
          h("h3", {}, "Evaluation reports"),
          h(
            "ul",
            {},
            reports.map((report) =>
              h("li", {}, h("a", { href: `v1/reports/${encodeURIComponent(report.name)}` }, oneLine(report.name))),
            ),
          ),
        )
      : "",
  );

const holdings = (repositories) =>
  h(
    "div",
    { class: "holdings" },
    h("h3", {}, repositories.length === 1 ? "Repository" : "Repositories"),
    h(
      "ul",
      { id: "holdings" },
      repositories.map((one) =>
        h(
          "li",
          {},
          h("b", {}, oneLine(one.name)),
          facts(one).map((fact) => h("span", { class: "soft" }, fact)),
          one.indexing
            ? h("progress", {
                max: one.indexing.total || 1,
                value: one.indexing.total ? one.indexing.done : null,
                "aria-label": `Indexing ${oneLine(one.name)}`,
              })
            : "",
        ),
      ),
    ),
  );

const facts = (one) => {
  if (one.problem) return [oneLine(one.problem)];
  const found = one.files ? [counted(one.files, "file"), counted(one.units, "unit")] : [];
  if (one.commits) found.push(counted(one.commits, "commit"));
  if (one.commit) found.push(`at ${one.commit.slice(0, 7)}${one.dirty ? " with changes" : ""}`);
  if (one.indexing)
    found.push(
      `${stepName(one.indexing.step)}${one.indexing.total ? ` ${one.indexing.done.toLocaleString("en")} of ${one.indexing.total.toLocaleString("en")}` : ""}`,
    );
  else if (!one.ready) found.push("not indexed yet");
  return found;
};

const MISSING = {
  search:
    "None of these words is in the code, and no past commit mentions them. Try other words: a name, a message, part of a path.",
  history:
    "No commit message up to this state mentions it. Try other words: what a change was for, rather than what is wrong.",
};

const FILTERED = /^filters in the query: /;
// The notes of several repositories begin with a name: each speaks for its repository, none for all.
const PHRASE_NOWHERE = /^no indexed file contains (?:the phrase|all the phrases in one place);/;
const PHRASE_ELSEWHERE = /^\d+ files? (?:has|have) the phrase elsewhere/;
const PHRASE_LEFT_OUT = /^only files that the filters or settings leave out contain the phrase/;
const PHRASE_OF_ONE = /: (?:no indexed file contains|\d+ files? (?:has|have) the phrase|only files that the filters)/;

/** Whether an empty page says in its own words what a note says. */
export const saysItself = (note) =>
  [PHRASE_NOWHERE, PHRASE_ELSEWHERE, PHRASE_LEFT_OUT].some((said) => said.test(note));

/** Why nothing was found. The notes of the answer tell what phrases and filters in the query did. */
const whyNothing = (state, narrowed, notes) => {
  if (notes.some((note) => PHRASE_ELSEWHERE.test(note)))
    return "This phrase is in the code, but not in what you asked to find. Look for files.";
  if (notes.some((note) => PHRASE_LEFT_OUT.test(note)))
    return "This phrase is only in files that your filters or the settings leave out.";
  const nowhere = notes.find((note) => PHRASE_NOWHERE.test(note));
  if (nowhere)
    return nowhere.includes("all the phrases")
      ? "No indexed file contains these phrases in one place. Remove the quotes to search for their words."
      : "No indexed file contains this phrase. Remove the quotes to search for its words.";
  if (notes.some((note) => PHRASE_OF_ONE.test(note))) return "The notes say where each repository has this phrase.";
  if (narrowed || notes.some((note) => FILTERED.test(note))) return "Nothing matches within these filters.";
  return MISSING[state.view] || MISSING.search;
};

/** Nothing found: why, and what to change, as buttons. */
export const nothing = (state, change, notes = []) => {
  const ways = [];
  const offer = (text, changes) =>
    ways.push(h("button", { type: "button", class: "button", on: { click: () => change(changes) } }, text));
  const narrowed = FILTERS.filter(
    (name) => ["language", "folder", "at"].includes(name) && String(state[name]) !== String(DEFAULTS[name]),
  );
  if (narrowed.length) offer("Search everywhere", Object.fromEntries(narrowed.map((name) => [name, DEFAULTS[name]])));
  if (!state.tests) offer("Include tests", { tests: true });
  if (state.view === "search" && state.level !== "file") offer("Look for files", { level: "file" });
  if (state.view === "search") offer("Look in the history", { view: "history" });
  else offer("Look in the code", { view: "search" });
  return h(
    "section",
    { class: "state" },
    h("h2", {}, state.view === "history" ? "No past commit resembles this" : "Nothing found"),
    h("p", {}, whyNothing(state, narrowed.length > 0, notes)),
    h("div", { class: "actions" }, ways),
  );
};

/** Nothing found yet: a first index is being made. The page asks again by itself when it is ready. */
export const unfinished = () =>
  h(
    "section",
    { class: "state" },
    h("h2", {}, "The index is still being built"),
    h("p", {}, "Nothing that is indexed so far matches. The search runs again once the index is complete."),
  );

/** Problems of what was asked: asking for the same again cannot help. */
const INVALID = "urn:trackdown:problem:invalid";
const UNANSWERABLE = [INVALID, "urn:trackdown:problem:query"];

/** Something went wrong. `again` tries once more. A server that asks for a token gets one; all who listen hear of it. */
export const failure = (problem, again, { ofQuery = false } = {}) => {
  if (problem.status === 401) return tokenForm(again);
  const gone = problem.status === 0;
  const title = ofQuery && problem.type === INVALID ? "This query cannot be searched" : oneLine(problem.title);
  return h(
    "section",
    { class: problem.retryAfter ? "state error passing" : "state error", role: "alert" },
    h("h2", {}, title || "Something went wrong"),
    h("p", { class: "detail" }, oneLine(problem.detail)),
    gone ? h("p", {}, "Start it again with ", h("code", {}, "trackdown serve"), ", then try once more.") : "",
    problem.retryAfter ? h("p", { id: "countdown" }) : "",
    UNANSWERABLE.includes(problem.type)
      ? ""
      : h(
          "div",
          { class: "actions" },
          h("button", { type: "button", class: "button strong", on: { click: again } }, "Try again"),
        ),
  );
};

const tokenForm = (again) => {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const submit = (event) => {
    event.preventDefault();
    keepToken(input.value.trim());
    again();
    document.dispatchEvent(new Event("token"));
  };
  return h(
    "section",
    { class: "state" },
    h("h2", {}, "This server requires a token"),
    h(
      "p",
      {},
      "Ask whoever started it. The page keeps it until you close this tab, and never puts it into a URL.",
    ),
    h(
      "form",
      { on: { submit } },
      h("label", { class: "unseen", for: "token" }, "Token"),
      input,
      h("button", { class: "button strong" }, "Continue"),
    ),
  );
};

/** Places where results will be. */
export const ghosts = (number = 4) =>
  h(
    "div",
    { class: "results", "aria-hidden": "true" },
    Array.from({ length: number }, () => h("div", { class: "result ghost" }, h("i"), h("i"), h("i"))),
  );

/** Lines of a panel that will be. */
export const waiting = () =>
  h("div", { class: "waiting", role: "status", "aria-label": "Loading" }, h("i"), h("i"), h("i"));
