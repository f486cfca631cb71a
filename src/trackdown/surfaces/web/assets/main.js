// Where it all begins: the box, the views, and which of them has the page.

import { all, byId, oneLine } from "./dom.js";
import { makeFilters, offer, offerIssues, showFilters } from "./filters.js";
import { CommitView } from "./commit_view.js";
import { GraphView, targetName } from "./graph_view.js";
import { makeHelp } from "./help.js";
import { HistoryView } from "./history_view.js";
import { hearKeys } from "./keys.js";
import { closeQuery, focusQuery, isLong, makePasted, showQuery } from "./pasted.js";
import { SearchView } from "./search_view.js";
import { Server } from "./server.js";
import { DEFAULTS, current, go, link, listen } from "./state.js";
import { makeThemeChoice } from "./theme_choice.js";

const box = byId("query");
let shown = "";

const server = new Server(({ becameReady, rootsChanged }) => {
  offer(server.repositories);
  offerIssues(server.fetchesIssues);
  showFilters(current());
  const state = current();
  if (!state.q.trim() && !state.issue && !state.pick && !["graph", "commit"].includes(state.view)) views[state.view].show(state);
  else if (becameReady && state.view === "search" && search.answer?.partial) search.show(state, { again: true });
  else if (rootsChanged && state.view === "search") search.refresh();
});
const search = new SearchView(server);
const views = { search, history: new HistoryView(server), graph: new GraphView(server), commit: new CommitView(server) };

const grow = () => {
  box.classList.toggle("long", isLong(box.value));
  if (CSS.supports("field-sizing", "content")) return;
  box.style.setProperty("height", "auto");
  box.style.setProperty("height", `${box.scrollHeight}px`);
};

const show = (state, { again = false } = {}) => {
  if (shown && shown !== state.view) views[shown].leave();
  const fresh = shown !== state.view;
  const came = fresh && shown !== "";
  shown = state.view;
  document.body.dataset.view = state.view;
  document.body.classList.toggle("beginning", !state.q.trim() && !state.issue && !state.pick && !state.commit);
  for (const tab of all(".views a")) {
    tab.href = link({ view: tab.dataset.view, commit: "", pick: "", of: "", tab: "", target: "", depth: 1, direction: "both" });
    if (tab.dataset.view === (["history", "commit"].includes(state.view) ? "history" : "search"))
      tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  if (box.value !== state.q && (document.activeElement !== box || fresh || state.q !== DEFAULTS.q)) box.value = state.q;
  showQuery(state.q);
  grow();
  showFilters(state);
  const about =
    state.view === "graph"
      ? `Graph of ${targetName(state.target || "…")}`
      : state.view === "commit"
        ? `Commit ${oneLine(state.commit).slice(0, 10)}`
        : oneLine(state.issue ? `Issue ${state.issue}` : state.q)
            .trim()
            .slice(0, 80);
  document.title = about ? `${about} · Trackdown` : "Trackdown";
  views[state.view].show(state, { again, came });
};

const ask = () => {
  closeQuery();
  const state = current();
  const view = { graph: "search", commit: "history" }[state.view] || state.view;
  const same = state.q === box.value && state.view === view;
  if (same) show(state, { again: true });
  else go({ q: box.value, issue: "", view, only: [], commit: "", pick: "", of: "", tab: "", target: "", depth: 1, direction: "both" });
};

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
byId("ask").addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  if (event.key === "Enter" && event.target === box && !event.shiftKey) {
    event.preventDefault();
    ask();
  } else if (
    event.key === "ArrowDown" &&
    event.target === box &&
    !box.value.includes("\n") &&
    search.list.results.length
  ) {
    event.preventDefault();
    views[current().view].step?.(1);
  }
});
box.addEventListener("input", () => {
  byId("collapse").hidden = true;
  grow();
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  (byId("stage").querySelector(".results") || byId("stage")).focus();
});
byId("brand").addEventListener("click", (event) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  go({ ...DEFAULTS });
  box.value = "";
  grow();
  focusQuery();
});
document.addEventListener("click", (event) => {
  // Links behind the # change the state and nothing else: the browser must not look for a place of that name.
  const target = event.target.closest?.('a[href^="#"]');
  if (!target || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", target.getAttribute("href") === "#" ? "./" : target.getAttribute("href"));
  show(current());
  if (event.detail === 0) byId({ graph: "graph-title", commit: "commit-title" }[current().view] || "panel-title")?.focus();
});

makeThemeChoice();
makePasted();
makeFilters();
makeHelp(() => search.refresh());
hearKeys({ search, view: () => views[current().view] });
listen((state) => show(state));
show(current());
if (!current().q && !current().issue && !current().pick) box.focus();
server.look();
