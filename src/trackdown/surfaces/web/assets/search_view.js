// Searching code: asks, shows what comes as it comes, and keeps the panel beside it.

import { Problem, stream } from "./api.js";
import { byId, counted, h, oneLine } from "./dom.js";
import { POOL, moreOf, narrowed, showFacets } from "./facets.js";
import { offerFolders } from "./filters.js";
import { Panel } from "./panel.js";
import { keyOf, parsePlace } from "./places.js";
import { knownName } from "./related.js";
import { ResultList, identity } from "./results.js";
import { FLAGS, current, go } from "./state.js";
import { begun, failure, ghosts, nothing, saysItself, stepName, unfinished } from "./states.js";
import { retryLater, say, sayMore, showNotes } from "./status.js";

const WIDE = matchMedia("(min-width: 1081px)");
const MOST_KEPT = 20;
const GHOSTS_AFTER = 150;
const THINGS = { function: "function", class: "class", symbol: "symbol", file: "file" };
const MANY = { class: "classes" };
const arrangementOf = ({ only, k, group }) => JSON.stringify([only, k, group]);

export class SearchView {
  /** `server` says what is known of the repositories. */
  constructor(server) {
    this.server = server;
    this.kept = new Map();
    this.key = null;
    this.answer = null;
    this.running = null;
    this.picked = null;
    this.list = new ResultList((result, byKeyboard) => this.choose(result, byKeyboard));
    this.panel = new Panel({
      choose: (tab) => go({ tab, ...this.placeOf() }, { quiet: true }),
      close: () => this.closePanel(),
    });
    this.arranged = "";
    this.facets = h("div", { class: "facets" });
    this.more = h("div");
    this.split = h(
      "div",
      { class: "split" },
      h(
        "section",
        { "aria-labelledby": "results-title" },
        h("h2", { class: "unseen", id: "results-title" }, "Results"),
        this.facets,
        this.list.element,
        this.more,
      ),
    );
    WIDE.addEventListener("change", () => {
      if (this.answer && current().view === "search") this.showPick(current());
    });
  }

  /** Show a state: search if it asks for something else than before. */
  show(state, { again = false } = {}) {
    const asked = this.asked(state);
    const key = JSON.stringify(asked);
    if (!state.q.trim() && !state.issue) {
      this.stop();
      this.key = key;
      this.answer = null;
      this.begin(state);
    } else if (again || key !== this.key || (!this.answer && !this.running)) this.start(key, asked, again);
    else if (this.answer) this.place(state);
  }

  /** Another view takes the page. */
  leave() {
    this.stop();
    if (!this.answer || this.answer.stage !== "final") this.key = null;
  }

  stop() {
    this.running?.abort();
    this.running = null;
    byId("stage").removeAttribute("aria-busy");
    retryLater(0);
  }

  asked(state) {
    const { level, effort, tests } = state;
    const about = state.issue ? { issue: state.issue } : { query: state.q };
    const body = { ...about, k: Math.max(POOL, state.k), level, effort, tests, explain: true };
    if (state.repository) body.repository = state.repository;
    if (state.at) body.at = state.at;
    if (state.folder) body.folder = state.folder;
    if (state.language.length) body.languages = state.language;
    if (state.mode) body.mode = state.mode;
    if (state.rerank) body.rerank = state.rerank === "1";
    if (state.budget !== "") body.budget = state.budget;
    if (state.candidates !== "") body.depth = state.candidates;
    for (const flag of FLAGS) if (state[flag]) body[flag] = true;
    return body;
  }

  begin(state) {
    say("");
    showNotes([]);
    if (state.pick) {
      this.arrange({ results: [], level: "function" }, state);
      this.place(state);
    } else byId("stage").replaceChildren(begun(this.server));
  }

  async start(key, body, again) {
    this.stop();
    this.key = key;
    this.answer = null;
    if (!again && this.kept.has(key)) {
      this.accept(this.kept.get(key));
      return;
    }
    const running = new AbortController();
    this.running = running;
    byId("stage").setAttribute("aria-busy", "true");
    say("Searching…", { busy: true });
    showNotes([]);
    const timer = setTimeout(() => {
      if (!this.answer) byId("stage").replaceChildren(ghosts());
    }, GHOSTS_AFTER);
    try {
      await stream(
        body,
        (name, data) => {
          if (running.signal.aborted) return;
          if (name === "progress" && !this.answer) this.progress(data);
          if (name === "results") this.accept(data);
        },
        running.signal,
      );
      if (this.answer && this.answer.stage === "final") this.keep(key, this.answer);
    } catch (error) {
      if (running.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.fail(error);
    } finally {
      clearTimeout(timer);
      if (this.running === running) {
        this.running = null;
        byId("stage").removeAttribute("aria-busy");
      }
    }
  }

  keep(key, answer) {
    if (answer.partial) return;
    this.kept.delete(key);
    this.kept.set(key, answer);
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value);
  }

  progress({ step, done, total }) {
    say(`${stepName(step)}…`, { busy: true });
    sayMore(total ? h("progress", { max: total, value: done, "aria-label": stepName(step) }) : "");
  }

  fail(problem) {
    this.key = null;
    this.answer = null;
    say("");
    byId("stage").replaceChildren(failure(problem, () => this.show(current(), { again: true }), { ofQuery: true }));
    if (problem.status === 401) byId("token").focus();
    if (problem.retryAfter && (problem.status === 503 || problem.status === 429))
      retryLater(problem.retryAfter, () => this.show(current(), { again: true }));
  }

  /** Take in an answer, a first look or the final one. */
  accept(answer) {
    this.answer = answer;
    const state = current();
    if (answer.results.length) showNotes(answer.notes, answer.confidence);
    else showNotes(answer.notes.filter((note) => !saysItself(note)));
    offerFolders(answer.results);
    this.arrange(answer, state);
    this.place(state);
  }

  /** Show as many of the results as are wanted, of those that pass the chosen facets. */
  arrange(answer, state) {
    this.arranged = arrangementOf(state);
    const passing = narrowed(answer.results, state.only);
    const grouped = state.group === "file" && answer.level !== "file";
    const results = passing.slice(0, state.k);
    this.list.show({ ...answer, results }, { many: this.many(answer), at: state.at, grouped });
    showFacets(this.facets, answer, state);
    this.more.replaceChildren(answer.results.length ? moreOf(answer, passing.length, state) : "");
    if (answer === this.answer) this.tell(answer);
  }

  /** Show the same again, when something is known that changes what it looks like. */
  refresh() {
    this.panel.shown = "";
    if (current().view !== "search") return;
    if (this.answer) this.accept(this.answer);
    else if (current().pick && !current().q.trim()) this.place(current());
  }

  many(answer) {
    return answer.snapshots?.length > 1;
  }

  tell(answer) {
    const found = counted(this.list.results.length, THINGS[answer.level], MANY[answer.level]);
    if (answer.stage === "fast") {
      say(`${found}, first ranking. Models are reading them…`, { busy: true });
      sayMore("");
      return;
    }
    const total = Object.values(answer.timings_ms).reduce((sum, time) => sum + time, 0);
    const states = answer.snapshots.map(
      ({ repository, commit, dirty }) =>
        `${oneLine(repository)}${commit ? ` at ${commit.slice(0, 7)}` : ""}${dirty ? " with changes" : ""}`,
    );
    say(
      `${found}${answer.partial ? " so far (the index is incomplete)" : ""} in ${states.length > 3 ? counted(states.length, "repository", "repositories") : states.join(", ")}`,
    );
    sayMore(
      h(
        "details",
        {},
        h("summary", {}, `${Math.round(total).toLocaleString("en")} ms`),
        h(
          "dl",
          {},
          Object.entries(answer.timings_ms).flatMap(([stage, time]) => [
            h("dt", {}, oneLine(stage)),
            h("dd", {}, `${time.toFixed(1)} ms`),
          ]),
        ),
      ),
    );
  }

  /** Put the list, or what stands for it, on the page, and the panel where it belongs. */
  place(state) {
    const stage = byId("stage");
    if (this.answer && !this.answer.results.length && !state.pick) {
      if (this.answer.stage === "fast") return;
      stage.replaceChildren(this.answer.partial ? unfinished() : nothing(state, (changes) => go(changes), this.answer.notes));
      return;
    }
    if (stage.firstChild !== this.split) stage.replaceChildren(this.split);
    if (this.answer && this.arranged !== arrangementOf(state)) this.arrange(this.answer, state);
    this.showPick(state);
  }

  showPick(state) {
    const picked = this.resultOf(state);
    this.picked = picked;
    const place = picked || (state.pick ? this.placeFrom(state) : null);
    const item = this.list.mark(picked);
    if (!place || (!state.pick && !WIDE.matches)) {
      this.panel.element.remove();
      this.panel.shown = "";
      this.split.classList.remove("reading", "alone");
      return;
    }
    const focused = this.panel.element.contains(document.activeElement) ? document.activeElement : null;
    const home = !WIDE.matches && item ? item : this.split;
    if (this.panel.element.parentNode !== home) {
      if (home === this.split && !WIDE.matches) this.split.prepend(this.panel.element);
      else home.append(this.panel.element);
      focused?.focus({ preventScroll: true });
    }
    this.panel.show(place, {
      result: picked,
      at: state.at,
      tab: state.tab,
      of: state.of || (this.answer && this.many(this.answer) ? place.repository : ""),
    });
    this.split.classList.toggle("reading", this.panel.tab === "source");
    this.split.classList.toggle("alone", !this.list.results.length && !this.answer);
    this.panel.fit();
  }

  /** The result that a state picks; on a wide screen the first one, when it picks none. */
  resultOf(state) {
    const { results } = this.list;
    if (!state.pick) return WIDE.matches && this.answer ? results[0] || null : null;
    return (
      results.find((result) => keyOf(result) === state.pick && (!state.of || result.repository === state.of)) || null
    );
  }

  placeFrom(state) {
    const repository = state.of || state.repository || this.server.repositories[0]?.name || "";
    const place = { ...parsePlace(state.pick), repository };
    return { ...place, symbol: knownName(repository, keyOf(place)) };
  }

  placeOf() {
    const state = current();
    if (state.pick || !this.picked) return {};
    return this.addressOf(this.picked);
  }

  addressOf(result) {
    return { pick: keyOf(result), of: this.many(this.answer) ? result.repository : "" };
  }

  choose(result, byKeyboard) {
    const state = current();
    const open = state.pick === keyOf(result);
    if (open && !WIDE.matches && !byKeyboard) {
      this.closePanel();
      return;
    }
    go({ ...this.addressOf(result), tab: state.tab }, { quiet: Boolean(state.pick) && this.picked !== null });
    if (byKeyboard) byId("panel-title")?.focus({ preventScroll: WIDE.matches });
  }

  closePanel() {
    const { picked } = this;
    go({ pick: "", of: "", tab: "" });
    if (picked) this.list.items.get(identity(picked))?.querySelector("h3 a").focus();
  }

  // Keys

  /** Go to the next or the former result. */
  step(way) {
    if (!this.answer || !this.list.results.length) return;
    const focused = this.list.focused();
    const from =
      focused >= 0
        ? focused
        : this.list.results.findIndex((result) => this.picked && identity(result) === identity(this.picked));
    const first = focused < 0 && !current().pick;
    const result = this.list.focus(first ? 0 : from + way);
    if (result) go({ ...this.addressOf(result), tab: current().tab }, { quiet: true });
    if (!WIDE.matches && result) this.list.focus(this.list.results.indexOf(result));
  }

  /** The result that keys speak of. */
  spokenOf() {
    const focused = this.list.focused();
    return focused >= 0 ? this.list.results[focused] : this.picked;
  }
}
