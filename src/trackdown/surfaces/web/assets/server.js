// What is known of the server: its repositories, how far their indexes are, and whether it is there at all.

import { Problem, get } from "./api.js";
import { byId, counted, h, oneLine } from "./dom.js";
import { knowRoots } from "./places.js";
import { current } from "./state.js";
import { stepName } from "./states.js";

const SOON = 700;
const LATER = 20_000;

export class Server {
  /** `changed` is told whenever something is known anew: whether an index became ready, or where files stand changed. */
  constructor(changed) {
    this.repositories = [];
    this.fetchesIssues = false;
    this.reports = [];
    this.examples = [];
    this.changed = changed;
    this.timer = 0;
    this.counted = false;
    this.locked = null;
    document.addEventListener("token", () => this.look());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.look();
    });
  }

  /** Look now, and again when it is time: often while an index is being made. */
  async look() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    const before = this.repositories;
    let wait = LATER;
    try {
      const { repositories, fetches_issues: fetches } = await get("repositories");
      this.fetchesIssues = fetches;
      const wasReady = new Set(before.filter(({ ready }) => ready).map(({ name }) => name));
      const known = new Map(before.map((one) => [one.name, one]));
      const became = before.length > 0 && repositories.some(({ name, ready }) => ready && !wasReady.has(name));
      this.repositories = repositories.map((one) => ({
        commits: known.get(one.name)?.commits,
        dirty: known.get(one.name)?.dirty,
        ...one,
      }));
      if (repositories.some(({ ready, problem }) => !ready && !problem)) wait = SOON;
      const rootsChanged = knowRoots(repositories);
      this.tell();
      this.locked = null;
      this.changed({ becameReady: became, rootsChanged });
      if (!this.counted || became) await this.count();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 0) this.lost();
      if (error.status === 401) {
        this.locked = error;
        this.changed({ becameReady: false, rootsChanged: false });
      }
      wait = error.status === 401 ? LATER : SOON * 5;
    }
    this.timer = setTimeout(() => this.look(), wait);
  }

  /** What takes a moment longer: commits, changes, reports. */
  async count() {
    const [{ repositories }, { reports }] = await Promise.all([
      get("status"),
      get("reports").catch(() => ({ reports: [] })),
    ]);
    this.counted = true;
    const more = new Map(repositories.map(({ repository, commits, dirty }) => [repository, { commits, dirty }]));
    this.repositories = this.repositories.map((one) => ({ ...one, ...more.get(one.name) }));
    this.reports = reports.filter(({ media_type: type }) => type.startsWith("text/"));
    this.changed({ becameReady: false, rootsChanged: false });
    await this.findExamples();
  }

  /** Queries worth trying, from the repository that is chosen or else the first that is ready. */
  async findExamples() {
    const ready = this.repositories.filter((one) => one.ready);
    const { name } = ready.find((one) => one.name === current().repository) || ready[0] || {};
    if (!name) return;
    const { examples } = await get("examples", { repository: name }).catch(() => ({ examples: [] }));
    const repository = this.repositories.length > 1 ? name : "";
    this.examples = examples.map((one) => ({ ...one, repository }));
    this.changed({ becameReady: false, rootsChanged: false });
  }

  tell() {
    const place = byId("index-state");
    const busy = this.repositories.find(({ indexing, ready }) => indexing && !ready);
    const broken = this.repositories.find(({ problem }) => problem);
    place.dataset.state = broken ? "lost" : busy ? "indexing" : "ready";
    const names =
      this.repositories.length === 1
        ? oneLine(this.repositories[0].name)
        : counted(this.repositories.length, "repository", "repositories");
    const percent = busy?.indexing.total ? ` ${Math.floor((100 * busy.indexing.done) / busy.indexing.total)} %` : "";
    const text = broken
      ? `${oneLine(broken.name)}: ${oneLine(broken.problem)}`
      : busy
        ? `${stepName(busy.indexing.step)}${percent}`
        : names;
    place.replaceChildren(h("span", { title: text }, text));
  }

  lost() {
    const place = byId("index-state");
    place.dataset.state = "lost";
    place.replaceChildren(h("span", {}, "No connection"));
  }
}
