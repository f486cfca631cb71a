// The graph around a place, as a whole view: what to draw, how far to go, and in words what is chosen.

import { Problem, get } from "./api.js";
import { breakable, byId, counted, h, oneLine } from "./dom.js";
import { drawn, sample } from "./picture.js";
import { parsePlace } from "./places.js";
import { current, go, link } from "./state.js";
import { failure, waiting } from "./states.js";
import { retryLater, say, showNotes } from "./status.js";

const TYPES = ["contains", "imports", "invokes", "inherits"];
const SAID = {
  in: { contains: "Contained in", imports: "Imported by", invokes: "Called by", inherits: "Inherited by" },
  out: { contains: "Contains", imports: "Imports", invokes: "Calls", inherits: "Inherits from" },
};
const DIRECTIONS = [
  ["both", "Both ways"],
  ["out", "What it uses"],
  ["in", "What uses it"],
];

export class GraphView {
  constructor(server) {
    this.server = server;
    this.key = null;
    this.running = null;
    this.drawing = null;
    this.off = new Set();
  }

  async show(state, { again = false } = {}) {
    const asked = {
      repository:
        state.of || state.repository || (this.server.repositories.length === 1 ? this.server.repositories[0].name : ""),
      target: state.target,
      depth: state.depth,
      direction: state.direction,
      at: state.at,
      drawing: "true",
    };
    const key = JSON.stringify(asked);
    if (!again && key === this.key && this.drawing && byId("stage").contains(this.drawing.element)) return;
    this.leave();
    this.key = key;
    const running = new AbortController();
    this.running = running;
    byId("stage").setAttribute("aria-busy", "true");
    say("Following references…", { busy: true });
    showNotes([]);
    const timer = setTimeout(() => byId("stage").replaceChildren(waiting()), 150);
    try {
      if (!state.target)
        throw new Problem({ status: 422, title: "Nothing to draw", detail: "Open the graph from a result." });
      const answer = await get("graph", asked, running.signal);
      if (running.signal.aborted) return;
      this.put(answer, state);
    } catch (error) {
      if (running.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      this.key = null;
      say("");
      byId("stage").replaceChildren(
        h("p", {}, this.back()),
        failure(error, () => this.show(current(), { again: true })),
      );
      if (error.retryAfter) retryLater(error.retryAfter, () => this.show(current(), { again: true }));
    } finally {
      clearTimeout(timer);
      if (this.running === running) {
        this.running = null;
        byId("stage").removeAttribute("aria-busy");
      }
    }
  }

  leave() {
    this.running?.abort();
    this.running = null;
    this.drawing?.canvas.stop();
    byId("stage").removeAttribute("aria-busy");
  }

  back() {
    return h(
      "a",
      { class: "button", id: "graph-back", href: link({ view: "search", target: "", depth: 1, direction: "both" }) },
      "← Results",
    );
  }

  put(answer, state) {
    this.answer = answer;
    const { names } = answer.drawing;
    this.side = h("section", { class: "graph-side", "aria-label": "Selected place", "aria-live": "polite" });
    this.drawing = drawn(answer, {
      onChoose: (number) => this.describe(number),
      onOpen: (number) => this.centre(number),
    });
    showNotes(answer.notes);
    say(
      `${counted(answer.nodes.length, "place")} and ${counted(answer.edges.length, "edge")} around ${answer.start.length === 1 ? names[0][0] : counted(answer.start.length, "place")}`,
    );
    byId("stage").replaceChildren(
      h(
        "div",
        { class: "graph-head" },
        h("h2", { tabindex: "-1", id: "graph-title" }, names[0][0], h("span", { class: "where" }, names[0][1])),
        this.back(),
      ),
      this.controls(state),
      h("div", { class: "graph-split" }, this.drawing.element, this.side),
    );
    this.drawing.canvas.begin();
    this.filter();
    if (this.off.size) this.drawing.canvas.fitOrCentre();
  }

  filter() {
    this.drawing.canvas.filter((number) => !this.off.has(this.answer.edges[number].type));
  }

  controls(state) {
    const present = TYPES.filter((type) => this.answer.edges.some((edge) => edge.type === type));
    const select = (name, options) =>
      h(
        "select",
        {
          id: `graph-${name}`,
          on: {
            change: (event) =>
              go({ [name]: name === "depth" ? Number(event.target.value) : event.target.value }, { quiet: true }),
          },
        },
        options.map(([value, text]) => h("option", { value, selected: String(state[name]) === String(value) }, text)),
      );
    const toggle = (type) => (event) => {
      this.off[event.target.checked ? "delete" : "add"](type);
      this.filter();
      this.drawing.canvas.fitOrCentre();
      this.describe(this.drawing.canvas.chosen);
    };
    return h(
      "div",
      { class: "graph-controls" },
      h(
        "label",
        {},
        "Reach ",
        select("depth", [
          [1, "1 edge"],
          [2, "2 edges"],
          [3, "3 edges"],
        ]),
      ),
      h("label", {}, "Direction ", select("direction", DIRECTIONS)),
      h(
        "div",
        { class: "group", role: "group", "aria-label": "Edges" },
        present.map((type) =>
          h(
            "label",
            {},
            h("input", { type: "checkbox", value: type, checked: !this.off.has(type), on: { change: toggle(type) } }),
            sample(type),
            type,
          ),
        ),
      ),
      h(
        "span",
        { class: "zoom" },
        [
          ["−", "Zoom out", () => this.drawing.canvas.zoom(0.8)],
          ["+", "Zoom in", () => this.drawing.canvas.zoom(1.25)],
          ["Fit", "Show all", () => this.drawing.canvas.fit(0)],
        ].map(([sign, label, click]) =>
          h("button", { type: "button", class: "button", "aria-label": label, title: label, on: { click } }, sign),
        ),
      ),
    );
  }

  /** The chosen place in words: what points at it and what it points at. */
  describe(number) {
    const {
      nodes,
      edges,
      drawing: { names },
    } = this.answer;
    const node = nodes[number];
    const numbers = new Map(nodes.map((one, at) => [one.id, at]));
    const groups = ["in", "out"]
      .flatMap((way) =>
        TYPES.filter((type) => !this.off.has(type)).map((type) => {
          const here = edges.filter(
            (edge) => edge.type === type && (way === "in" ? edge.target : edge.source) === node.id,
          );
          if (!here.length) return null;
          return [
            h("h4", { class: type }, `${SAID[way][type]} (${here.length})`),
            h(
              "ul",
              {},
              here.map((edge) => {
                const other = numbers.get(way === "in" ? edge.source : edge.target);
                return h(
                  "li",
                  {},
                  h(
                    "button",
                    { type: "button", on: { click: () => this.drawing.canvas.go(other) } },
                    h("span", { class: "name" }, breakable(names[other][0])),
                    h(
                      "span",
                      { class: "place" },
                      names[other][1],
                      edge.how === "exact" ? "" : `, ${edge.how === "name" ? "by its name alone" : oneLine(edge.how)}`,
                    ),
                  ),
                );
              }),
            ),
          ];
        }),
      )
      .filter(Boolean);
    this.side.replaceChildren(
      h("h3", {}, breakable(names[number][0])),
      h("p", { class: "where" }, `${oneLine(node.kind)} · ${names[number][1]}`),
      h(
        "div",
        { class: "buttons" },
        number >= this.answer.start.length
          ? h("button", { type: "button", class: "button", on: { click: () => this.centre(number) } }, "Centre here")
          : "",
        node.kind === "directory"
          ? ""
          : h(
              "a",
              {
                class: "button",
                href: link({
                  view: "search",
                  pick: pickOf(node),
                  tab: "source",
                  target: "",
                  depth: 1,
                  direction: "both",
                }),
              },
              "Source",
            ),
      ),
      ...(groups.length
        ? groups
        : [h("p", { class: "soft" }, "Nothing is connected to it at this depth.")]
      ).flat(),
    );
    this.side.scrollTop = 0;
  }

  centre(number) {
    const node = this.answer.nodes[number];
    go({ target: node.symbol ? `${node.path}:${node.start_line}` : node.path });
  }
}

const pickOf = (node) => (node.symbol ? `${node.path}:${node.start_line}-${node.end_line}` : `${node.path}:1-400`);

/** What a graph's address is called while it loads. */
export const targetName = (target) => oneLine(parsePlace(target).path.split("/").pop());
