// The list of results. It is kept from the first look to the final order: what stays is moved, not made anew.

import { counted, h, icon, oneLine } from "./dom.js";
import { excerpt } from "./excerpt.js";
import { languageName } from "./languages.js";
import { copy } from "./notice.js";
import { copyButton, editorLink, keyOf, lineRange, pathNodes, symbolNodes } from "./places.js";
import { signalColour, signalName } from "./signals.js";
import { link } from "./state.js";
import { percent } from "./status.js";

const MOVE = { duration: 260, easing: "cubic-bezier(.25, .1, .2, 1)" };
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** What tells results apart. */
export const identity = (result) => `${result.repository}\0${keyOf(result)}\0${result.symbol}`;

export class ResultList {
  /** `pick` is told which result was picked, and whether by the keyboard. */
  constructor(pick) {
    this.pick = pick;
    this.element = h("ol", { class: "results", "aria-label": "Results", tabindex: "-1" });
    this.items = new Map();
    this.files = new Map();
    this.results = [];
  }

  /** Show these results; `many` says that several repositories are searched, `grouped` puts those of a file together. */
  show(answer, { many, at, grouped = false }) {
    const places = new Map(Array.from(this.items, ([key, item]) => [key, item.getBoundingClientRect().top]));
    const ranks = new Map(this.results.map((result) => [identity(result), result.rank]));
    const best = Math.max(...answer.results.map(worth), 1e-9);
    const results = grouped ? byFile(answer.results).flat() : answer.results;
    const items = new Map();
    for (const result of results) {
      const key = identity(result);
      const item = this.items.get(key) || h("li", { class: "result" });
      const from = ranks.get(key);
      this.fill(item, result, {
        many,
        at,
        best,
        grouped,
        level: answer.level,
        climbed: from && from > result.rank ? from - result.rank : 0,
      });
      items.set(key, item);
    }
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    this.results = results;
    this.items = items;
    arrange(this.element, grouped ? this.groups(results, many) : Array.from(items.values()));
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    if (places.size && !calm()) this.move(places);
  }

  /** The results of each file, below its name. */
  groups(results, many) {
    const before = this.files;
    this.files = new Map();
    return byFile(results).map((inside, number) => {
      const key = `${inside[0].repository}\0${inside[0].path}`;
      const group = before.get(key) || h("li", { class: "group" }, h("p", { class: "group-head" }), h("ol"));
      const [head, list] = group.children;
      head.id = `group-${number}`;
      head.replaceChildren(
        many ? `${oneLine(inside[0].repository)} · ` : "",
        pathNodes(inside[0], { lines: false }),
        h("span", { class: "soft" }, counted(inside.length, "result")),
      );
      list.setAttribute("aria-labelledby", head.id);
      const items = inside.map((result) => this.items.get(identity(result)));
      arrange(list, items);
      this.files.set(key, group);
      return group;
    });
  }

  move(places) {
    for (const [key, item] of this.items) {
      if (!places.has(key)) item.animate([{ opacity: 0 }, { opacity: 1 }], MOVE);
      else {
        const way = places.get(key) - item.getBoundingClientRect().top;
        if (Math.abs(way) > 1) item.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], MOVE);
      }
    }
  }

  fill(item, result, { many, at, best, grouped, level, climbed }) {
    const focused = item.contains(document.activeElement) && document.activeElement.closest("h3");
    const panel = item.querySelector(".panel");
    const title = h(
      "a",
      {
        href: link({ pick: keyOf(result), of: many ? result.repository : "" }),
        on: {
          click: (event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
            event.preventDefault();
            this.pick(result, event.detail === 0);
          },
        },
      },
      symbolNodes(result),
    );
    const editor = editorLink(result, at);
    item.replaceChildren(
      h(
        "article",
        {},
        h(
          "div",
          { class: "result-head" },
          h(
            "div",
            { class: "rank" },
            h("span", { class: "unseen" }, "Rank "),
            `${result.rank}`,
            climbed
              ? h(
                  "span",
                  { class: "moved", title: `Moved up by ${climbed}` },
                  h("span", { "aria-hidden": "true" }, `▲${climbed}`),
                  h("span", { class: "unseen" }, `, moved up by ${climbed}`),
                )
              : "",
          ),
          h(
            "div",
            {},
            h("h3", {}, title),
            h(
              "p",
              { class: "where" },
              many && !grouped ? [h("span", {}, oneLine(result.repository)), sep()] : "",
              grouped ? h("span", { class: "path" }, `Lines ${lineRange(result)}`) : pathNodes(result),
              sep(),
              oneLine(result.kind),
              result.language !== "text" ? [sep(), languageName(oneLine(result.language))] : "",
              result.probability === null ? "" : [sep(), `${percent(result.probability)} likely`],
            ),
            result.reason ? h("p", { class: "reason" }, oneLine(result.reason)) : "",
            strip(result, best),
          ),
          h(
            "div",
            { class: "head-side" },
            copyButton(result.path, "Copy the path", copy),
            editor
              ? h(
                  "a",
                  {
                    class: "icon-button",
                    href: editor.href,
                    title: `Open in ${editor.name}`,
                    "aria-label": `Open in ${editor.name}`,
                    "data-editor": "",
                  },
                  icon("editor"),
                )
              : "",
          ),
        ),
        excerpt(result, level),
      ),
      panel || "",
    );
    if (focused) title.focus({ preventScroll: true });
  }

  /** Mark the picked result; returns its element. */
  mark(picked) {
    let found = null;
    for (const result of this.results) {
      const item = this.items.get(identity(result));
      const here = picked !== null && identity(result) === identity(picked);
      item.classList.toggle("picked", here);
      if (here) item.querySelector("h3 a").setAttribute("aria-current", "true");
      else item.querySelector("h3 a").removeAttribute("aria-current");
      if (here) found = item;
    }
    return found;
  }

  /** Focus a result's title; returns the result. */
  focus(number) {
    const result = this.results[Math.max(0, Math.min(this.results.length - 1, number))];
    if (!result) return null;
    const item = this.items.get(identity(result));
    item.querySelector("h3 a").focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
    return result;
  }

  /** Which result the focus is in; -1 for none. */
  focused() {
    return this.results.findIndex((result) => this.items.get(identity(result)).contains(document.activeElement));
  }
}

/** The results of each file together; files in the order of their best results. */
const byFile = (results) => {
  const files = new Map();
  for (const result of results) {
    const key = `${result.repository}\0${result.path}`;
    files.set(key, [...(files.get(key) || []), result]);
  }
  return Array.from(files.values());
};

/** Put items in order and leave alone those that are in place already, so that focus and scrolling stay. */
const arrange = (list, items) => {
  for (const old of Array.from(list.children)) if (!items.includes(old)) old.remove();
  items.forEach((item, number) => {
    if (list.children[number] !== item) list.insertBefore(item, list.children[number] || null);
  });
};

const sep = () => h("span", { "aria-hidden": "true" }, " · ");

/** How likely a result is, or its score as long as that is not known. */
const worth = (result) => result.probability ?? result.score;

/** What a score consists of, at a glance; its length says how the result compares with the best. */
const strip = (result, best) => {
  const parts = result.why.filter((why) => why.value > 0);
  const total = parts.reduce((sum, why) => sum + why.value, 0);
  if (!total) return "";
  const share = Math.max(0.04, Math.min(1, worth(result) / best));
  return h(
    "div",
    {
      class: "strip",
      role: "img",
      "aria-label": `Strongest first: ${parts.map((why) => signalName(why.signal)).join(", ")}`,
    },
    parts.map((why) =>
      h("i", { css: { width: `${(100 * share * why.value) / total}%`, "--c": signalColour(why.signal) } }),
    ),
  );
};
