// What stands beside a result, or below it on a narrow screen: why it was found, its source, what it hangs together with.

import { Problem, get } from "./api.js";
import { counted, h, icon, oneLine } from "./dom.js";
import { code } from "./highlight.js";
import { copy } from "./notice.js";
import { editorLink, keyOf, locationOf, pathNodes, symbolNodes } from "./places.js";
import { related } from "./related.js";
import { termsOf } from "./signals.js";
import { failure, waiting } from "./states.js";
import { link } from "./state.js";
import { why } from "./why.js";

const TABS = [
  ["why", "Why"],
  ["source", "Source"],
  ["related", "Related"],
];
const AROUND = 3;
const MOST_LINES = 400;

export class Panel {
  /** `choose` is told which tab was chosen, `close` that the panel should go. */
  constructor({ choose, close }) {
    this.choose = choose;
    this.close = close;
    this.element = h("aside", { class: "panel", "aria-label": "About this place" });
    this.shown = "";
    this.asked = null;
    for (const event of ["scroll", "resize"])
      addEventListener(event, () => requestAnimationFrame(() => this.fit()), { passive: true });
  }

  /** As high as there is room below where it stands now. */
  fit() {
    if (this.element.isConnected)
      this.element.style.setProperty("--top", `${Math.round(this.element.getBoundingClientRect().top)}px`);
  }

  /** Show a place. `result` is what the search says of it, if it is among the results; `of` its repository, if several are searched. */
  show(place, { result, at, tab, of }) {
    const tabs = TABS.filter(([name]) => result || name !== "why");
    const chosen = tabs.some(([name]) => name === tab) ? tab : tabs[0][0];
    const shown = JSON.stringify([
      place.repository,
      keyOf(place),
      chosen,
      at,
      of,
      result ? [result.rank, result.why] : null,
    ]);
    if (shown === this.shown) return;
    this.asked?.abort();
    this.asked = new AbortController();
    const followed = this.element.isConnected && this.shown !== "" && !result;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.id : "";
    const body = h("div", {
      class: "tab-body",
      id: "tab-body",
      role: "tabpanel",
      tabindex: "0",
      "aria-labelledby": `tab-${chosen}`,
    });
    this.shown = shown;
    this.element.replaceChildren(this.head(place, { result, at, of, followed }), body);
    this.element.querySelector(".panel-head").append(this.tabs(tabs, chosen));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    this.element.scrollTop = 0;
    this.fit();
    this.fill(body, chosen, place, result, at);
  }

  head(place, { at, of, followed }) {
    const editor = editorLink(place, at);
    return h(
      "div",
      { class: "panel-head" },
      h(
        "div",
        { class: "panel-title" },
        h("h2", { tabindex: "-1", id: "panel-title" }, symbolNodes(place)),
        h(
          "button",
          {
            type: "button",
            class: "icon-button",
            "aria-label": "Close",
            title: "Close (Esc)",
            on: { click: () => this.close() },
          },
          icon("close"),
        ),
      ),
      h("p", { class: "where" }, of ? `${oneLine(of)} · ` : "", pathNodes(place)),
      h(
        "div",
        { class: "panel-tools" },
        h(
          "button",
          { type: "button", class: "button", id: "panel-copy", on: { click: () => copy(locationOf(place)) } },
          "Copy path:line",
        ),
        editor ? h("a", { class: "button", id: "panel-editor", href: editor.href }, `Open in ${editor.name}`) : "",
        h(
          "a",
          {
            class: "button",
            id: "panel-graph",
            href: link({ view: "graph", target: locationOf(place), of, depth: 1, direction: "both" }),
          },
          "Graph",
        ),
        followed
          ? h(
              "button",
              { type: "button", class: "button", id: "panel-back", on: { click: () => history.back() } },
              "Back",
            )
          : "",
      ),
    );
  }

  tabs(tabs, chosen) {
    const buttons = tabs.map(([name, text]) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `tab-${name}`,
          "aria-selected": String(name === chosen),
          "aria-controls": "tab-body",
          tabindex: name === chosen ? "0" : "-1",
          on: { click: () => this.choose(name) },
        },
        text,
      ),
    );
    const keydown = (event) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      const next = (tabs.findIndex(([name]) => name === chosen) + way + tabs.length) % tabs.length;
      buttons[next].focus();
      this.choose(tabs[next][0]);
    };
    return h("div", { class: "tabs", role: "tablist", "aria-label": "About this place", on: { keydown } }, buttons);
  }

  async fill(body, tab, place, result, at) {
    if (tab === "why") {
      body.replaceChildren(why(result));
      return;
    }
    const { signal } = this.asked;
    const timer = setTimeout(() => body.replaceChildren(waiting()), 120);
    try {
      const made = tab === "source" ? await this.source(place, result, at, signal) : await related(place, at, signal);
      if (signal.aborted) return;
      body.replaceChildren(made);
      this.reveal(body.querySelector(".l.here"));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      body.replaceChildren(failure(error, () => this.fill(body, tab, place, result, at)));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Bring a line into view, within what scrolls: the page itself stays. */
  reveal(line) {
    if (!line) return;
    const code = line.closest(".code");
    const head = this.element.querySelector(".panel-head").getBoundingClientRect();
    if (code.scrollHeight > code.clientHeight + 1) code.scrollTop = Math.max(0, line.offsetTop - code.offsetTop - 40);
    else if (this.element.scrollHeight > this.element.clientHeight + 1)
      this.element.scrollTop += line.getBoundingClientRect().top - head.bottom - 40;
  }

  async source(place, result, at, signal, most = MOST_LINES) {
    const first = Math.max(1, place.start_line - AROUND);
    const last = Math.max(place.end_line, place.start_line) + AROUND;
    const cut = Math.min(last, first + most - 1);
    const unit = await get(
      "unit",
      { repository: place.repository, path: place.path, lines: `${first}-${cut}`, at },
      signal,
    );
    const here = place.kind === "file" ? linesOf(result?.snippet, unit) : [place.start_line, place.end_line];
    const shown = code(unit.text, unit.language, {
      first: unit.start_line,
      here,
      terms: result ? termsOf(result) : [],
      label: `Source of ${oneLine(place.path)}`,
    });
    const rest = Math.min(last, unit.total_lines) - unit.end_line;
    if (rest > 0) {
      const all = async (event) =>
        event.target.closest(".code").replaceWith(await this.source(place, result, at, signal, last));
      shown.append(
        h(
          "div",
          { class: "rest" },
          h(
            "button",
            { type: "button", class: "plain", on: { click: all } },
            `Show ${counted(rest, "more line", "more lines")}`,
          ),
        ),
      );
    }
    return shown;
  }
}

/** Which lines of a unit a snippet is. */
const linesOf = (snippet, unit) => {
  const at = snippet ? unit.text.indexOf(snippet) : -1;
  if (at < 0) return null;
  const first = unit.start_line + unit.text.slice(0, at).split("\n").length - 1;
  return [first, first + snippet.split("\n").length - 1];
};
