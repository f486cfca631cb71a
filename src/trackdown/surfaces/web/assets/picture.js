// The drawing of a graph: boxes and lines where the server put them; here they are moved, zoomed, chosen and lit.

import { h, oneLine, s } from "./dom.js";

const BADGES = { directory: "D", file: "F", class: "C", function: "ƒ" };
const ENDS = {
  contains: ["M0 4L5 0L10 4L5 8z", 0],
  imports: ["M1 0L9 4L1 8", 9],
  invokes: ["M0 0L9 4L0 8z", 9],
  inherits: ["M0 0L10 4L0 8z", 10],
};
const MARGIN = 24;
const LEGIBLE = 0.75;
const NARROW = 620;
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** How edges of a type look. */
export const sample = (type) =>
  s(
    "svg",
    { viewBox: "0 0 28 10", width: 28, height: 10, class: "sample", "aria-hidden": "true" },
    s("path", { d: "M1 5H27", class: `edge ${type}` }),
  );

export class Picture {
  /** `chosen` is told which node was chosen, `open` which should become the centre. */
  constructor(answer, { chosen, open }) {
    this.tell = chosen;
    this.open = open;
    this.drawing = answer.drawing;
    this.starts = answer.start.length;
    this.edges = answer.edges;
    const numbers = new Map(answer.nodes.map((node, number) => [node.id, number]));
    this.ends = answer.edges.map((edge) => [numbers.get(edge.source), numbers.get(edge.target)]);
    this.boxes = answer.nodes.map((node, number) => this.box(node, number));
    this.lines = answer.edges.map((edge) => s("path", { class: `edge ${edge.type} ${edge.how}` }));
    for (const [number, edge] of answer.edges.entries()) {
      this.lines[number].setAttribute(
        edge.type === "contains" ? "marker-start" : "marker-end",
        `url(#end-${edge.type})`,
      );
    }
    this.view = s("g", {}, s("g", {}, this.lines), s("g", {}, this.boxes));
    this.svg = s(
      "svg",
      { role: "group", "aria-label": "Graph: arrows go from place to place, Enter makes one the centre" },
      s("defs", {}, Object.entries(ENDS).map(end)),
      this.view,
    );
    this.element = h("div", { class: "canvas" }, this.svg);
    this.shown = { nodes: answer.nodes.map(() => true), edges: answer.edges.map(() => true) };
    this.chosen = 0;
    this.holding = false;
    [this.x, this.y, this.scale, this.moved, this.shape] = [0, 0, 1, false, ""];
    this.touching = new Map();
    this.hear();
  }

  box(node, number) {
    const { height, labels, names } = this.drawing;
    return s(
      "g",
      {
        class: `node ${Object.hasOwn(BADGES, node.kind) ? node.kind : "function"}${number < this.starts ? " start" : ""}`,
        role: "button",
        tabindex: number ? "-1" : "0",
        "aria-label": `${names[number][0]}, ${oneLine(node.kind)}, ${names[number][1]}`,
        "data-n": number,
      },
      s("title", {}, node.symbol ? `${names[number][0]}\n${names[number][1]}` : names[number][1]),
      s("rect", { height, rx: 7, class: "shape" }),
      s("rect", { x: 7, y: 9, width: 17, height: 18, rx: 4, class: "badge" }),
      s("text", { x: 15.5, y: 22, class: "letter" }, BADGES[node.kind] || "·"),
      s("text", { x: 30, y: 15.5, class: "name" }, labels[number][0]),
      s("text", { x: 30, y: 29, class: "place" }, labels[number][1]),
    );
  }

  /** To be called once the picture is on the page. */
  begin() {
    this.watch = new ResizeObserver(() => {
      const before = this.shape;
      this.arrange();
      if (!this.moved || before !== this.shape) this.fit(LEGIBLE);
    });
    this.arrange();
    this.fit(LEGIBLE);
    this.watch.observe(this.svg);
    this.choose(0, false);
  }

  stop() {
    this.watch?.disconnect();
  }

  size() {
    return this.svg.getBoundingClientRect();
  }

  arrange() {
    const shape = this.size().width < NARROW ? "tall" : "wide";
    if (shape === this.shape) return;
    this.shape = shape;
    const { boxes, paths } = this.drawing[shape];
    boxes.forEach(([x, y, width], number) => {
      this.boxes[number].setAttribute("transform", `translate(${x} ${y})`);
      this.boxes[number].querySelector(".shape").setAttribute("width", width);
    });
    paths.forEach((path, number) => this.lines[number].setAttribute("d", path));
  }

  draw() {
    this.view.setAttribute(
      "transform",
      `translate(${this.x.toFixed(2)} ${this.y.toFixed(2)}) scale(${this.scale.toFixed(4)})`,
    );
  }

  /** Show all, but not smaller than `least`; then what does not fit lies outside and the start is in view. */
  fit(least) {
    const { width, height } = this.size();
    const { boxes } = this.drawing[this.shape];
    const inside = boxes.filter((_, number) => this.shown.nodes[number]);
    const left = Math.min(...inside.map(([x]) => x)),
      right = Math.max(...inside.map(([x, , wide]) => x + wide));
    const top = Math.min(...inside.map(([, y]) => y)),
      bottom = Math.max(...inside.map(([, y]) => y)) + this.drawing.height;
    const fits = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top), 1.15);
    this.scale = Math.max(least, fits);
    this.x = width / 2 - (this.scale * (left + right)) / 2;
    this.y = height / 2 - (this.scale * (top + bottom)) / 2;
    if (fits < least) {
      const [x, y, wide] = boxes[0];
      if (this.scale * (right - left) > width - 2 * MARGIN)
        this.x = within(width / 2 - this.scale * (x + wide / 2), width, this.scale * left, this.scale * right);
      if (this.scale * (bottom - top) > height - 2 * MARGIN)
        this.y = within(
          height / 2 - this.scale * (y + this.drawing.height / 2),
          height,
          this.scale * top,
          this.scale * bottom,
        );
    }
    this.draw();
  }

  zoom(factor, atX = this.size().width / 2, atY = this.size().height / 2) {
    const next = Math.min(4, Math.max(0.05, this.scale * factor));
    this.x = atX - ((atX - this.x) * next) / this.scale;
    this.y = atY - ((atY - this.y) * next) / this.scale;
    [this.scale, this.moved] = [next, true];
    this.draw();
  }

  reveal(number) {
    const { width, height } = this.size();
    const [x, y, wide] = this.drawing[this.shape].boxes[number];
    const [left, right] = [this.x + this.scale * x, this.x + this.scale * (x + wide)];
    const [top, bottom] = [this.y + this.scale * y, this.y + this.scale * (y + this.drawing.height)];
    if (left < 8 || right > width - 8) this.x += (width - left - right) / 2;
    if (top < 8 || bottom > height - 8) this.y += (height - top - bottom) / 2;
    this.draw();
  }

  /** Leave out edges of some types, and places that hang on nothing else. */
  filter(off) {
    this.edges.forEach((edge, number) => {
      this.shown.edges[number] = !off.has(edge.type);
      this.lines[number].classList.toggle("off", off.has(edge.type));
      this.lines[number].toggleAttribute("hidden", off.has(edge.type));
    });
    this.boxes.forEach((box, number) => {
      this.shown.nodes[number] =
        number < this.starts || this.ends.some((both, edge) => this.shown.edges[edge] && both.includes(number));
      box.toggleAttribute("hidden", !this.shown.nodes[number]);
    });
    if (!this.shown.nodes[this.chosen]) this.choose(0, false);
  }

  light(number) {
    this.svg.classList.toggle("holding", number >= 0);
    for (const lit of this.svg.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (number < 0) return;
    this.boxes[number].classList.add("lit");
    this.ends.forEach((both, edge) => {
      if (!both.includes(number) || !this.shown.edges[edge]) return;
      this.lines[edge].classList.add("lit");
      for (const one of both) this.boxes[one].classList.add("lit");
    });
  }

  choose(number, hold) {
    this.boxes[this.chosen].classList.remove("chosen");
    this.boxes[this.chosen].setAttribute("tabindex", "-1");
    [this.chosen, this.holding] = [number, hold];
    this.boxes[number].setAttribute("tabindex", "0");
    this.boxes[number].classList.toggle("chosen", hold);
    this.light(hold ? number : -1);
    this.tell(number);
  }

  go(number) {
    this.choose(number, true);
    this.reveal(number);
    this.boxes[number].focus({ preventScroll: true });
  }

  /** The nearest place in a direction; -1 for none. */
  beside(number, [dx, dy]) {
    const { boxes } = this.drawing[this.shape];
    const middle = ([x, y, wide]) => [x + wide / 2, y];
    const [fromX, fromY] = middle(boxes[number]);
    let best = -1,
      least = Infinity;
    boxes.forEach((box, other) => {
      if (other === number || !this.shown.nodes[other]) return;
      const [toX, toY] = middle(box);
      const [along, across] = dx
        ? [dx * (toX - fromX), Math.abs(toY - fromY)]
        : [dy * (toY - fromY), Math.abs(toX - fromX)];
      if (along > 4 && along + 2.5 * across < least) [best, least] = [other, along + 2.5 * across];
    });
    return best;
  }

  hear() {
    const { svg } = this;
    let dragged = false;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      this.touching.set(event.pointerId, [event.clientX, event.clientY]);
      if (this.touching.size === 1) dragged = false;
    });
    svg.addEventListener("pointermove", (event) => {
      const last = this.touching.get(event.pointerId);
      if (!last) return;
      const next = [event.clientX, event.clientY];
      if (!dragged && Math.hypot(next[0] - last[0], next[1] - last[1]) < 5) return;
      if (!dragged) {
        dragged = true;
        svg.classList.add("dragged");
        svg.setPointerCapture(event.pointerId);
      }
      this.drag(event.pointerId, last, next);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      svg.addEventListener(name, (event) => {
        this.touching.delete(event.pointerId);
        if (!this.touching.size) svg.classList.remove("dragged");
      });
    }
    svg.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const { left, top } = this.size();
        const step = event.deltaMode ? event.deltaY * 20 : event.deltaY;
        this.zoom(Math.exp(-Math.max(-240, Math.min(240, step)) * 0.0022), event.clientX - left, event.clientY - top);
      },
      { passive: false },
    );
    const at = (event) => Number(event.target.closest(".node")?.dataset.n ?? -1);
    svg.addEventListener("click", (event) => {
      if (!dragged) this.choose(at(event) < 0 ? this.chosen : at(event), at(event) >= 0);
    });
    svg.addEventListener("dblclick", (event) => {
      if (at(event) >= this.starts) this.open(at(event));
    });
    svg.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && !this.touching.size)
        this.light(at(event) >= 0 ? at(event) : this.holding ? this.chosen : -1);
    });
    svg.addEventListener("pointerleave", () => this.light(this.holding ? this.chosen : -1));
    svg.addEventListener("focusin", (event) => {
      if (at(event) >= 0) this.reveal(at(event));
    });
    svg.addEventListener("keydown", (event) => this.key(event, at(event)));
  }

  drag(pointer, last, next) {
    this.moved = true;
    const before = Array.from(this.touching.values());
    this.touching.set(pointer, next);
    if (before.length === 1) {
      this.x += next[0] - last[0];
      this.y += next[1] - last[1];
      this.draw();
    } else if (before.length === 2) {
      const spread = ([[ax, ay], [bx, by]]) => [Math.hypot(ax - bx, ay - by) || 1, (ax + bx) / 2, (ay + by) / 2];
      const [was, wasX, wasY] = spread(before),
        [is, isX, isY] = spread(Array.from(this.touching.values()));
      const { left, top } = this.size();
      this.x += isX - wasX;
      this.y += isY - wasY;
      this.zoom(is / was, isX - left, isY - top);
    }
  }

  key(event, number) {
    if (event.ctrlKey || event.metaKey || event.altKey || number < 0) return;
    const way = WAYS[event.key];
    if (way) {
      const next = this.beside(number, way);
      if (next >= 0) this.go(next);
    } else if (event.key === " ") this.go(number);
    else if (event.key === "Enter") this.open(number);
    else if (event.key === "Escape" && this.holding) this.choose(number, false);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit(0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const end = ([type, [d, tip]]) =>
  s(
    "marker",
    {
      id: `end-${type}`,
      viewBox: "-1 -1 12 10",
      refX: tip,
      refY: 4,
      markerWidth: 11,
      markerHeight: 9,
      markerUnits: "userSpaceOnUse",
      orient: "auto",
    },
    s("path", { d, class: `end ${type}` }),
  );

const within = (wanted, length, first, last) => Math.max(length - MARGIN - last, Math.min(MARGIN - first, wanted));
