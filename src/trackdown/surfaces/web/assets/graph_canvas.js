// Pan, zoom and choose in a drawn graph. The server laid it out; this moves, lights and filters the given elements.
// The web page and the page that `trackdown graph --format html` writes share this file.

const MARGIN = 24;
const LEGIBLE = 0.75;
const LEAST = { wide: 0.3, tall: 0.35 }; // smaller than this, everything at once is worth less than the middle
const NAME = { size: 12.5, most: 26, wide: 0.62, left: 38 };
const NARROW = 620;
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class GraphCanvas {
  /**
   * `view` is the group inside `svg` that is moved; `boxes` and `lines` are its elements, in the order of `ends` and of
   * the boxes and paths of `shapes`. The first `starts` boxes are the starts. `onChoose` gets the number of the box that
   * was chosen, `onOpen`, if given, the number of one that was opened by Enter or a double click.
   */
  constructor({ svg, view, boxes, lines, ends, shapes, height, starts, onChoose, onOpen }) {
    Object.assign(this, { svg, view, boxes, lines, ends, shapes, height, starts, onChoose, onOpen });
    this.shown = { boxes: boxes.map(() => true), lines: lines.map(() => true) };
    [this.chosen, this.holding] = [0, false];
    [this.x, this.y, this.scale, this.moved, this.shape] = [0, 0, 1, false, ""];
    this.touching = new Map();
    this.listenToPointers();
    this.listenToChoices();
  }

  /** Call this once the drawing is on the page. */
  begin() {
    this.observer = new ResizeObserver(() => {
      const before = this.shape;
      this.arrange();
      if (!this.moved || before !== this.shape) this.fitOrCentre();
    });
    this.arrange();
    this.fitOrCentre();
    this.observer.observe(this.svg);
    this.choose(0, false);
  }

  stop() {
    this.observer?.disconnect();
  }

  size() {
    return this.svg.getBoundingClientRect();
  }

  /** Take the tall drawing on a narrow screen and the wide one elsewhere. */
  arrange() {
    const shape = this.size().width < NARROW ? "tall" : "wide";
    if (shape === this.shape) return;
    [this.shape, this.near] = [shape, 0];
    const { boxes, paths } = this.shapes[shape];
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
    this.label();
  }

  /** From far away a box has only its name, as large as fits: names stay legible when all is shown. */
  label() {
    const near = Math.min(1, Math.ceil(this.scale * 20) / 20 + (this.scale >= LEGIBLE ? 1 : 0));
    if (near === this.near) return;
    this.near = near;
    const { boxes } = this.shapes[this.shape];
    this.boxes.forEach((box, number) => {
      const name = box.querySelector(".name");
      const fits = (boxes[number][2] - NAME.left) / (NAME.wide * name.textContent.length);
      const larger = Math.max(1, Math.min(NAME.most, 10 / near, fits) / NAME.size);
      const [x, y] = ["x", "y"].map((axis) => Number(name.getAttribute(axis)));
      const down = this.height / 2 + NAME.size * larger * 0.35 - y * larger;
      if (near < 1) name.setAttribute("transform", `translate(${x * (1 - larger)} ${down}) scale(${larger})`);
      else name.removeAttribute("transform");
      box.querySelector(".place").toggleAttribute("hidden", near < 1);
    });
  }

  /** Show everything; where that would be too small to read, the middle. */
  fitOrCentre() {
    this.fit(0);
    if (this.scale < LEAST[this.shape]) this.fit(LEGIBLE);
  }

  /** Show everything, but not smaller than `least`. What does not fit then is outside, with the first start in view. */
  fit(least) {
    const { width, height } = this.size();
    const { boxes } = this.shapes[this.shape];
    const room = this.shape === "tall" ? MARGIN + 8 : 2 * MARGIN; // on a phone every column counts
    const inside = boxes.filter((_, number) => this.shown.boxes[number]);
    const left = Math.min(...inside.map(([x]) => x));
    const right = Math.max(...inside.map(([x, , wide]) => x + wide));
    const top = Math.min(...inside.map(([, y]) => y));
    const bottom = Math.max(...inside.map(([, y]) => y)) + this.height;
    this.scale = Math.max(least, Math.min((width - room) / (right - left), (height - room) / (bottom - top), 1.15));
    const [startX, startY, startWide] = boxes[0];
    const placed = (length, first, last, start) => {
      if (this.scale * (last - first) <= length - room) return length / 2 - (this.scale * (first + last)) / 2;
      const wanted = length / 2 - this.scale * start;
      return Math.max(length - room / 2 - this.scale * last, Math.min(room / 2 - this.scale * first, wanted));
    };
    this.x = placed(width, left, right, startX + startWide / 2);
    this.y = placed(height, top, bottom, startY + this.height / 2);
    this.draw();
  }

  zoom(factor, atX = this.size().width / 2, atY = this.size().height / 2) {
    const next = Math.min(4, Math.max(0.03, this.scale * factor));
    this.x = atX - ((atX - this.x) * next) / this.scale;
    this.y = atY - ((atY - this.y) * next) / this.scale;
    [this.scale, this.moved] = [next, true];
    this.draw();
  }

  /** Move the drawing so that a box is in view. */
  reveal(number) {
    const { width, height } = this.size();
    const [x, y, wide] = this.shapes[this.shape].boxes[number];
    const [left, right] = [this.x + this.scale * x, this.x + this.scale * (x + wide)];
    const [top, bottom] = [this.y + this.scale * y, this.y + this.scale * (y + this.height)];
    if (left < 8 || right > width - 8) this.x += (width - left - right) / 2;
    if (top < 8 || bottom > height - 8) this.y += (height - top - bottom) / 2;
    this.draw();
  }

  /** Show only the lines that `isShown` admits by their number, and the boxes that they join. Starts always stay. */
  filter(isShown) {
    this.lines.forEach((line, number) => {
      this.shown.lines[number] = isShown(number);
      line.toggleAttribute("hidden", !this.shown.lines[number]);
    });
    this.boxes.forEach((box, number) => {
      this.shown.boxes[number] =
        number < this.starts || this.ends.some((both, line) => this.shown.lines[line] && both.includes(number));
      box.toggleAttribute("hidden", !this.shown.boxes[number]);
    });
    if (!this.shown.boxes[this.chosen]) this.choose(0, false);
  }

  /** Light a box with its lines and neighbours; -1 lights nothing. */
  light(number) {
    this.svg.classList.toggle("holding", number >= 0);
    for (const lit of this.svg.querySelectorAll(".lit")) lit.classList.remove("lit");
    if (number < 0) return;
    this.boxes[number].classList.add("lit");
    this.ends.forEach((both, line) => {
      if (!both.includes(number) || !this.shown.lines[line]) return;
      this.lines[line].classList.add("lit");
      for (const one of both) this.boxes[one].classList.add("lit");
    });
  }

  /** Choose a box; with `hold` it stays lit. */
  choose(number, hold) {
    this.boxes[this.chosen].classList.remove("chosen");
    this.boxes[this.chosen].setAttribute("tabindex", "-1");
    [this.chosen, this.holding] = [number, hold];
    this.boxes[number].setAttribute("tabindex", "0");
    this.boxes[number].classList.toggle("chosen", hold);
    this.light(hold ? number : -1);
    this.onChoose(number);
  }

  /** Choose a box and move to it. */
  go(number, { focus = true } = {}) {
    this.choose(number, true);
    this.reveal(number);
    if (focus) this.boxes[number].focus({ preventScroll: true });
  }

  /** The nearest box in a direction; -1 if there is none. */
  neighbour(number, [dx, dy]) {
    const { boxes } = this.shapes[this.shape];
    const middle = ([x, y, wide]) => [x + wide / 2, y];
    const [fromX, fromY] = middle(boxes[number]);
    let [best, least] = [-1, Infinity];
    boxes.forEach((box, other) => {
      if (other === number || !this.shown.boxes[other]) return;
      const [right, down] = [middle(box)[0] - fromX, middle(box)[1] - fromY];
      const [along, across] = dx ? [dx * right, Math.abs(down)] : [dy * down, Math.abs(right)];
      if (along > 4 && along + 2.5 * across < least) [best, least] = [other, along + 2.5 * across];
    });
    return best;
  }

  listenToPointers() {
    const { svg } = this;
    this.dragged = false;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      this.touching.set(event.pointerId, [event.clientX, event.clientY]);
      if (this.touching.size === 1) this.dragged = false;
    });
    svg.addEventListener("pointermove", (event) => {
      const last = this.touching.get(event.pointerId);
      if (!last) return;
      const next = [event.clientX, event.clientY];
      if (!this.dragged && Math.hypot(next[0] - last[0], next[1] - last[1]) < 5) return;
      if (!this.dragged) {
        this.dragged = true;
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
    const onWheel = (event) => {
      event.preventDefault();
      const { left, top } = this.size();
      const step = event.deltaMode ? event.deltaY * 20 : event.deltaY;
      this.zoom(Math.exp(-Math.max(-240, Math.min(240, step)) * 0.0022), event.clientX - left, event.clientY - top);
    };
    svg.addEventListener("wheel", onWheel, { passive: false });
  }

  listenToChoices() {
    const { svg } = this;
    const at = (event) => Number(event.target.closest(".node")?.dataset.n ?? -1);
    svg.addEventListener("click", (event) => {
      if (!this.dragged) this.choose(at(event) < 0 ? this.chosen : at(event), at(event) >= 0);
    });
    svg.addEventListener("dblclick", (event) => {
      if (at(event) >= this.starts) this.onOpen?.(at(event));
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
      const [was, wasX, wasY] = spread(before);
      const [is, isX, isY] = spread(Array.from(this.touching.values()));
      const { left, top } = this.size();
      this.x += isX - wasX;
      this.y += isY - wasY;
      this.zoom(is / was, isX - left, isY - top);
    }
  }

  key(event, number) {
    if (event.ctrlKey || event.metaKey || event.altKey || number < 0) return;
    const direction = DIRECTIONS[event.key];
    if (direction) {
      const next = this.neighbour(number, direction);
      if (next >= 0) this.go(next);
    } else if (event.key === "Enter" && this.onOpen) this.onOpen(number);
    else if (event.key === " " || event.key === "Enter") this.go(number);
    else if (event.key === "Escape" && this.holding) this.choose(number, false);
    else if (!this.zoomKey(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Zoom if a key asks for it; whether it does. */
  zoomKey(key) {
    if (key === "+" || key === "=") this.zoom(1.25);
    else if (key === "-") this.zoom(0.8);
    else if (key === "0") this.fit(0);
    else return false;
    return true;
  }
}
