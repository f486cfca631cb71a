"use strict";
(() => {
  const { nodes, edges, boxes: shapes, paths } = JSON.parse(document.getElementById("data").textContent);
  const one = (id) => document.getElementById(id);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const [svg, view, panel, find, found] = ["picture", "view", "panel", "find", "found"].map(one);
  const boxes = all(".node", view);
  const lines = all(".edge", view);
  const rows = all("#list tbody tr");
  const HEIGHT = 36;
  const LEGIBLE = 0.8;
  const margin = 24;

  // What there is

  const around = nodes.map(() => []);
  edges.forEach(([source, target], number) => {
    around[source].push(number);
    around[target].push(number);
  });
  const shown = { nodes: nodes.map(() => true), edges: edges.map(() => true) };
  const filter = () => {
    const off = new Set(all("input[data-filter]").filter((box) => !box.checked).map((box) => box.value));
    edges.forEach(([, , type, how], number) => {
      shown.edges[number] = !off.has(type) && !off.has(how);
      lines[number].classList.toggle("off", !shown.edges[number]);
      if (rows[number]) rows[number].hidden = !shown.edges[number];
    });
    nodes.forEach((node, number) => {
      shown.nodes[number] = node.start || around[number].some((edge) => shown.edges[edge]);
      boxes[number].classList.toggle("off", !shown.nodes[number]);
    });
    if (!shown.nodes[chosen]) choose(nodes.findIndex((node) => node.start));
    else choose(chosen);
    search();
  };

  // Moving and zooming

  let x = 0, y = 0, scale = 1, moved = false;
  const size = () => svg.getBoundingClientRect();
  const draw = () => view.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
  const centre = (left, top, right, bottom) => {
    const { width, height } = size();
    x = width / 2 - (scale * (left + right)) / 2;
    y = height / 2 - (scale * (top + bottom)) / 2;
    draw();
  };
  const bounds = (wanted) => {
    const inside = nodes.filter((node, number) => shown.nodes[number] && wanted(node));
    return [
      Math.min(...inside.map((node) => node.x)), Math.min(...inside.map((node) => node.y)),
      Math.max(...inside.map((node) => node.x + node.w)), Math.max(...inside.map((node) => node.y + HEIGHT)),
    ];
  };
  let shape = "";
  const arrange = () => {
    const wanted = size().width < 620 ? "tall" : "wide";
    if (wanted === shape) return;
    shape = wanted;
    nodes.forEach((node, number) => {
      [node.x, node.y, node.w] = shapes[shape][number];
      boxes[number].setAttribute("transform", `translate(${node.x} ${node.y})`);
      boxes[number].querySelector(".box").setAttribute("width", node.w);
    });
    lines.forEach((line, number) => line.setAttribute("d", paths[shape][number]));
  };
  const fit = (least) => {
    const { width, height } = size();
    const whole = bounds(() => true);
    const room = shape === "tall" ? margin + 8 : 2 * margin; // on a phone every column counts
    const fits = Math.min((width - room) / (whole[2] - whole[0]), (height - room) / (whole[3] - whole[1]), 1.15);
    scale = Math.max(least, fits);
    centre(...whole);
    if (fits >= least) return;
    const [left, top, right, bottom] = bounds((node) => node.start);
    const within = (length, first, last, start, end, now) => {
      if (scale * (last - first) <= length - room) return now; // all of it is in view already
      const wanted = length / 2 - (scale * (start + Math.min(end, start + length / scale))) / 2;
      return Math.max(length - room / 2 - scale * last, Math.min(room / 2 - scale * first, wanted));
    };
    x = within(width, whole[0], whole[2], left, right, x);
    y = within(height, whole[1], whole[3], top, bottom, y);
    draw();
  };
  const zoom = (factor, atX, atY) => {
    const next = Math.min(4, Math.max(0.03, scale * factor));
    x = atX - ((atX - x) * next) / scale;
    y = atY - ((atY - y) * next) / scale;
    scale = next;
    moved = true;
    draw();
  };
  const zoomMiddle = (factor) => {
    const { width, height } = size();
    zoom(factor, width / 2, height / 2);
  };
  const reveal = (number) => {
    const { width, height } = size();
    const node = nodes[number];
    const [left, right] = [x + scale * node.x, x + scale * (node.x + node.w)];
    const [top, bottom] = [y + scale * node.y, y + scale * (node.y + HEIGHT)];
    if (left < 8 || right > width - 8) x += (width - left - right) / 2;
    if (top < 8 || bottom > height - 8) y += (height - top - bottom) / 2;
    draw();
  };

  const touching = new Map();
  let dragged = false;
  const spread = () => {
    const [a, b] = Array.from(touching.values());
    return { distance: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (touching.size === 1) dragged = false;
  });
  svg.addEventListener("pointermove", (event) => {
    const last = touching.get(event.pointerId);
    if (!last) return;
    const next = { x: event.clientX, y: event.clientY };
    if (!dragged && Math.hypot(next.x - last.x, next.y - last.y) < 5) return;
    if (!dragged) {
      dragged = true;
      svg.classList.add("dragged");
      svg.setPointerCapture(event.pointerId);
    }
    moved = true;
    if (touching.size === 1) {
      x += next.x - last.x;
      y += next.y - last.y;
      touching.set(event.pointerId, next);
      draw();
    } else if (touching.size === 2) {
      const before = spread();
      touching.set(event.pointerId, next);
      const after = spread();
      const { left, top } = size();
      x += after.x - before.x;
      y += after.y - before.y;
      zoom(after.distance / (before.distance || 1), after.x - left, after.y - top);
    }
  });
  for (const name of ["pointerup", "pointercancel"]) {
    svg.addEventListener(name, (event) => {
      touching.delete(event.pointerId);
      if (!touching.size) svg.classList.remove("dragged");
    });
  }
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { left, top } = size();
    const step = event.deltaMode ? event.deltaY * 20 : event.deltaY;
    zoom(Math.exp(-Math.max(-240, Math.min(240, step)) * 0.0022), event.clientX - left, event.clientY - top);
  }, { passive: false });

  // Choosing a place

  let chosen = Math.max(0, nodes.findIndex((node) => node.start));
  const light = (number) => {
    for (const lit of all(".lit", view)) lit.classList.remove("lit");
    svg.classList.toggle("picked", number >= 0);
    if (number < 0) return;
    boxes[number].classList.add("lit");
    for (const edge of around[number]) {
      lines[edge].classList.add("lit");
      for (const end of edges[edge].slice(0, 2)) boxes[end].classList.add("lit");
    }
  };
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
      const here = around[number].filter((edge) => shown.edges[edge] && edges[edge][end] === number);
      for (const type of new Set(here.map((edge) => edges[edge][2]))) {
        const group = here.filter((edge) => edges[edge][2] === type);
        const list = made("ul");
        for (const edge of group) {
          const target = nodes[edges[edge][other]];
          const button = made("button", "", type);
          button.type = "button";
          button.append(made("span", target.name, "name"), made("span", `${target.place}, ${edges[edge][3]}`, "where"));
          button.addEventListener("click", () => go(edges[edge][other]));
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
  let holding = false;
  const choose = (number, hold = holding) => {
    boxes[chosen].classList.remove("chosen");
    boxes[chosen].tabIndex = -1;
    chosen = number;
    holding = hold;
    boxes[chosen].tabIndex = 0;
    boxes[chosen].classList.toggle("chosen", hold);
    light(hold ? chosen : -1);
    describe(chosen);
  };
  const go = (number) => {
    choose(number, true);
    reveal(number);
  };
  boxes.forEach((box, number) => {
    box.setAttribute("role", "button");
    box.setAttribute("aria-label", `${nodes[number].name}, ${nodes[number].kind}, ${nodes[number].place}`);
    box.tabIndex = -1;
    box.addEventListener("pointerenter", (event) => {
      if (event.pointerType === "mouse" && !touching.size) light(number);
    });
    box.addEventListener("pointerleave", () => light(holding ? chosen : -1));
  });
  svg.addEventListener("click", (event) => {
    if (dragged) return;
    const box = event.target.closest(".node");
    if (box) choose(Number(box.dataset.n), true);
    else choose(chosen, false);
  });

  // Keys

  const beside = (number, dx, dy) => {
    const from = nodes[number];
    let best = -1, least = Infinity;
    nodes.forEach((node, other) => {
      if (other === number || !shown.nodes[other]) return;
      const [right, down] = [node.x + node.w / 2 - from.x - from.w / 2, node.y - from.y];
      const [along, across] = dx ? [dx * right, Math.abs(down)] : [dy * down, Math.abs(right)];
      if (along > 4 && along + 2.5 * across < least) [best, least] = [other, along + 2.5 * across];
    });
    return best;
  };
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      find.value = "";
      search();
      choose(chosen, false);
    } else if (event.target.closest("input, summary")) return;
    else if (event.key === "/") {
      event.preventDefault();
      find.focus();
    } else if (event.key === "+" || event.key === "=") zoomMiddle(1.25);
    else if (event.key === "-") zoomMiddle(0.8);
    else if (event.key === "0") fit(0);
    else if (event.target.closest(".node")) {
      const next = ways[event.key] ? beside(chosen, ...ways[event.key]) : -1;
      if (ways[event.key] || event.key === "Enter" || event.key === " ") event.preventDefault();
      if (next >= 0) {
        go(next);
        boxes[next].focus({ preventScroll: true });
      } else if (event.key === "Enter" || event.key === " ") go(chosen);
    }
  });
  view.addEventListener("focusin", (event) => {
    const box = event.target.closest(".node");
    if (box) reveal(Number(box.dataset.n));
  });

  // Finding

  let matches = [];
  let current = -1;
  const search = () => {
    const wanted = find.value.trim().toLowerCase();
    matches = [];
    nodes.forEach((node, number) => {
      const hit = wanted !== "" && shown.nodes[number] && `${node.name} ${node.place}`.toLowerCase().includes(wanted);
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
    go(matches[current]);
    found.textContent = `${current + 1} of ${matches.length}`;
  });

  // Begin

  for (const box of all("input[data-filter]")) box.addEventListener("change", filter);
  one("larger").addEventListener("click", () => zoomMiddle(1.25));
  one("smaller").addEventListener("click", () => zoomMiddle(0.8));
  one("fit").addEventListener("click", () => fit(0));
  document.body.classList.add("live");
  for (const hidden of all(".controls, .keys, #panel")) hidden.hidden = false;
  svg.removeAttribute("viewBox");
  svg.setAttribute("role", "group");
  choose(chosen, false);
  const adjust = () => {
    const before = shape;
    arrange();
    if (!moved || shape !== before) fit(LEGIBLE);
  };
  adjust();
  if (shape === "tall" && rows.length) one("list").open = false;
  new ResizeObserver(adjust).observe(svg);
})();
