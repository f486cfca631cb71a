// A view whose content is one answer of the server: it is asked for, shown, kept, and asked for again when that failed.

import { Problem, get } from "./api.js";
import { byId } from "./dom.js";
import { current } from "./state.js";
import { failure } from "./states.js";
import { retryLater, say, showNotes } from "./status.js";

export class LoadedView {
  constructor(server) {
    this.server = server;
    this.key = null;
    this.shown = null;
    this.running = null;
  }

  /** Ask for `path` with parameters and `put` the answer, or put the one that is there already. */
  async load(path, asked, { saying, again, ofQuery = false }) {
    const key = JSON.stringify(asked);
    if (!again && key === this.key && this.shown) {
      this.put(this.shown);
      return;
    }
    this.leave();
    this.key = key;
    this.shown = null;
    const running = new AbortController();
    this.running = running;
    byId("stage").setAttribute("aria-busy", "true");
    say(saying, { busy: true });
    showNotes([]);
    try {
      const answer = await get(path, asked, running.signal);
      if (running.signal.aborted) return;
      this.shown = answer;
      this.put(answer);
    } catch (error) {
      if (running.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.key = null;
      say("");
      byId("stage").replaceChildren(failure(error, () => this.show(current(), { again: true }), { ofQuery }));
      if (error.retryAfter) retryLater(error.retryAfter, () => this.show(current(), { again: true }));
    } finally {
      if (this.running === running) this.leave();
    }
  }

  leave() {
    this.running?.abort();
    this.running = null;
    byId("stage").removeAttribute("aria-busy");
  }
}
