// What stands beside a result, or below it on a narrow screen: why it was found, its source, what it hangs together with.

import { Problem, get } from "./api.js";
import { all, counted, h, icon, oneLine } from "./dom.js";
import { blame } from "./blame.js";
import { hitsOf } from "./excerpt.js";
import { code } from "./highlight.js";
import { copy, toast } from "./notice.js";
import { editorLink, keyOf, lineOf, locationOf, pathNodes, symbolNodes } from "./places.js";
import { related } from "./related.js";
import { failure, waiting } from "./states.js";
import { link } from "./state.js";
import { why } from "./why.js";

const TABS = [
  ["why", "Why"],
  ["source", "Source"],
  ["related", "Related"],
  ["blame", "Blame"],
];
const AROUND = 12;
const LONG = 40;
const FAR = 20;
const ABOVE = 110;
const STEP = 60;
const MOST_LINES = 400;

export class Panel {
  /** `choose` is told which tab was chosen, `close` that the panel should go. */
  constructor({ choose, close }) {
    this.choose = choose;
    this.close = close;
    this.element = h("aside", { class: "panel", "aria-label": "About this place" });
    this.shown = "";
    this.tab = "";
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
    this.tab = chosen;
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
          { type: "button", class: "button", id: "panel-copy", on: { click: () => copy(lineOf(place)) } },
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
      const made =
        tab === "source"
          ? await this.source(place, result, at, signal)
          : await (tab === "blame" ? blame : related)(place, at, signal);
      if (signal.aborted) return;
      body.replaceChildren(made);
      if (tab !== "source") return;
      this.jumps(body);
      this.reveal(lineToShow(body, place, result));
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
    if (code.scrollHeight > code.clientHeight + 1) code.scrollTop = Math.max(0, line.offsetTop - code.offsetTop - ABOVE);
    else if (this.element.scrollHeight > this.element.clientHeight + 1)
      this.element.scrollTop += line.getBoundingClientRect().top - head.bottom - ABOVE;
  }

  /** The lines of a place and some around it, with buttons for those before and behind. */
  async source(place, result, at, signal, [from, to] = linesAround(place)) {
    const unit = await get(
      "unit",
      { repository: place.repository, path: place.path, lines: `${from}-${to}`, at },
      signal,
    );
    const here = place.kind === "file" ? null : [place.start_line, place.end_line];
    const shown = code(unit.text, unit.language, {
      first: unit.start_line,
      here,
      hits: hitsOf(result),
      label: `Source of ${oneLine(place.path)}`,
    });
    const { start_line: first, end_line: last, total_lines: total } = unit;
    const widen = (count, text, span, line) =>
      h(
        "button",
        { type: "button", class: "widen", on: { click: () => this.widen(place, result, at, span, line) } },
        `Show ${counted(count, "line")} ${text}`,
      );
    const [above, under] = [Math.min(STEP, first - 1), Math.min(STEP, total - last)];
    return h(
      "div",
      { class: "source" },
      above > 0 ? widen(above, "above", [first - above, last], first) : "",
      shown,
      under > 0 ? widen(under, "below", [first, last + under], last) : "",
    );
  }

  /** Buttons that go to the lines that match, if not all are in view anyway. */
  jumps(body) {
    this.element.querySelector(".jumps")?.remove();
    const hits = all(".l.hit", body);
    const start = body.querySelector(".l.here:not(.hit)");
    if (!hits.length || all(".l", body).length < LONG) return;
    const button = (line, text) =>
      h("button", { type: "button", class: "chip", on: { click: () => this.reveal(line) } }, text);
    this.element.querySelector(".panel-head").append(
      h(
        "p",
        { class: "jumps" },
        start ? button(start, "Start") : "",
        "Matching lines",
        hits.map((line) => button(line, line.dataset.n)),
      ),
    );
  }

  /** Show more lines, and keep one where it was. */
  async widen(place, result, at, span, line) {
    const { signal } = this.asked;
    const body = this.element.querySelector(".tab-body");
    const top = () => body.querySelector(`[data-n="${line}"]`)?.getBoundingClientRect().top ?? 0;
    const before = top();
    try {
      const made = await this.source(place, result, at, signal, span);
      if (signal.aborted) return;
      body.replaceChildren(made);
      this.jumps(body);
      const scrolls = this.element.scrollHeight > this.element.clientHeight + 1 ? this.element : document.scrollingElement;
      scrolls.scrollTop += top() - before;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      toast(error.message);
    }
  }
}

const linesAround = (place) => {
  const first = Math.max(1, place.start_line - AROUND);
  return [first, Math.min(Math.max(place.end_line, place.start_line) + AROUND, first + MOST_LINES - 1)];
};

/** The line to bring into view: where the place begins, or the best line where that is far below. */
const lineToShow = (body, place, result) => {
  const start = body.querySelector(".l.here");
  const best = result?.line > (start ? place.start_line + FAR : 0) && body.querySelector(`[data-n="${result.line}"]`);
  return best || start;
};
