// The drawing of a graph as elements of the page; graph_canvas.js moves it.

import { h, oneLine, s } from "./dom.js";
import { GraphCanvas } from "./graph_canvas.js";

const BADGES = { directory: "D", file: "F", class: "C", function: "ƒ" };
const ENDS = {
  contains: ["M0 4L5 0L10 4L5 8z", 0],
  imports: ["M1 0L9 4L1 8", 9],
  invokes: ["M0 0L9 4L0 8z", 9],
  inherits: ["M0 0L10 4L0 8z", 10],
};

/** How edges of a type look. */
export const sample = (type) =>
  s(
    "svg",
    { viewBox: "0 0 28 10", width: 28, height: 10, class: "sample", "aria-hidden": "true" },
    s("path", { d: "M1 5H27", class: `edge ${type}` }),
  );

/** Draw an answer: the element for the page, and the canvas that moves it. */
export const drawn = (answer, { onChoose, onOpen }) => {
  const starts = answer.start.length;
  const numbers = new Map(answer.nodes.map((node, number) => [node.id, number]));
  const boxes = answer.nodes.map((node, number) => box(answer.drawing, node, number, number < starts));
  const lines = answer.edges.map((edge) => line(edge));
  const view = s("g", {}, s("g", {}, lines), s("g", {}, boxes));
  const svg = s(
    "svg",
    { role: "group", "aria-label": "Graph. Arrow keys move between nodes; Enter makes one the centre." },
    s("defs", {}, Object.entries(ENDS).map(end)),
    view,
  );
  const ends = answer.edges.map((edge) => [numbers.get(edge.source), numbers.get(edge.target)]);
  const { wide, tall, height } = answer.drawing;
  const shapes = { wide, tall };
  const canvas = new GraphCanvas({ svg, view, boxes, lines, ends, shapes, height, starts, onChoose, onOpen });
  return { element: h("div", { class: "canvas" }, svg), canvas };
};

const box = ({ height, labels, names }, node, number, isStart) =>
  s(
    "g",
    {
      class: `node ${Object.hasOwn(BADGES, node.kind) ? node.kind : "function"}${isStart ? " start" : ""}`,
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

const line = (edge) => {
  const marker = edge.type === "contains" ? "marker-start" : "marker-end";
  return s("path", { class: `edge ${edge.type} ${edge.how}`, [marker]: `url(#end-${edge.type})` });
};

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
