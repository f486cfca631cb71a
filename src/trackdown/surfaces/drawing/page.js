const { nodes, edges, drawing } = JSON.parse(document.getElementById("data").textContent);
const one = (id) => document.getElementById(id);
const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
const [svg, view, panel, find, found] = ["picture", "view", "panel", "find", "found"].map(one);
const boxes = all(".node", view);
const lines = all(".edge", view);
const rows = all("#list tbody tr");

// The chosen node

const made = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (name) element.className = name;
  return element;
};
const describe = (number) => {
  const node = nodes[number];
  const parts = [made("h2", node.name), made("p", `${node.start ? "start, " : ""}${node.kind}`, "soft"), made("p", node.place)];
  if (/^[\w./:@+-]+$/.test(node.at)) {
    const further = made("p");
    further.append(made("code", `trackdown graph ${node.at}`));
    parts.push(further);
  }
  for (const [arrow, end, other] of [["←", 1, 0], ["→", 0, 1]]) {
    const here = edges.flatMap((edge, at) => (canvas.shown.lines[at] && edge[end] === number ? [at] : []));
    for (const type of new Set(here.map((edge) => edges[edge][2]))) {
      const group = here.filter((edge) => edges[edge][2] === type);
      const list = made("ul");
      for (const edge of group) {
        const target = nodes[edges[edge][other]];
        const button = made("button", "", type);
        button.type = "button";
        button.append(made("span", target.name, "name"), made("span", `${target.place}, ${edges[edge][3]}`, "where"));
        button.addEventListener("click", () => canvas.go(edges[edge][other], { focus: false }));
        const item = made("li");
        item.append(button);
        list.append(item);
      }
      parts.push(made("h3", `${arrow} ${type} (${group.length})`), list);
    }
  }
  panel.replaceChildren(...parts);
  panel.scrollTop = 0;
};

const canvas = new GraphCanvas({
  svg,
  view,
  boxes,
  lines,
  ends: edges.map(([source, target]) => [source, target]),
  shapes: { wide: drawing.wide, tall: drawing.tall },
  height: drawing.height,
  starts: nodes.filter((node) => node.start).length,
  onChoose: describe,
});

// Filters

const filter = () => {
  const off = new Set(all("input[data-filter]").filter((box) => !box.checked).map((box) => box.value));
  canvas.filter((number) => !off.has(edges[number][2]) && !off.has(edges[number][3]));
  rows.forEach((row, number) => (row.hidden = !canvas.shown.lines[number]));
  describe(canvas.chosen);
  search();
};

// Finding

let matches = [];
let current = -1;
const search = () => {
  const wanted = find.value.trim().toLowerCase();
  matches = [];
  nodes.forEach((node, number) => {
    const hit = wanted !== "" && canvas.shown.boxes[number] && `${node.name} ${node.place}`.toLowerCase().includes(wanted);
    if (hit) matches.push(number);
    boxes[number].classList.toggle("match", hit);
  });
  current = -1;
  found.textContent = wanted === "" ? "" : `${matches.length} found`;
};
find.addEventListener("input", search);
find.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !matches.length) return;
  current = (current + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
  canvas.go(matches[current], { focus: false });
  found.textContent = `${current + 1} of ${matches.length}`;
});

// Keys anywhere on the page; the canvas has those of its boxes

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    find.value = "";
    search();
    canvas.choose(canvas.chosen, false);
  } else if (event.target.closest("input, summary")) return;
  else if (event.key === "/") {
    event.preventDefault();
    find.focus();
  } else canvas.zoomKey(event.key);
});

// Begin

for (const box of all("input[data-filter]")) box.addEventListener("change", filter);
one("larger").addEventListener("click", () => canvas.zoom(1.25));
one("smaller").addEventListener("click", () => canvas.zoom(0.8));
one("fit").addEventListener("click", () => canvas.fit(0));
document.body.classList.add("live");
for (const hidden of all(".controls, .keys, #panel")) hidden.hidden = false;
svg.removeAttribute("viewBox");
svg.setAttribute("role", "group");
boxes.forEach((box, number) => {
  box.setAttribute("role", "button");
  box.setAttribute("aria-label", `${nodes[number].name}, ${nodes[number].kind}, ${nodes[number].place}`);
  box.setAttribute("tabindex", "-1");
});
canvas.begin();
if (canvas.shape === "tall" && rows.length) one("list").open = false;
