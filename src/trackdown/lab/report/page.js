"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const modes = data.modes;
  const one = (selector) => document.querySelector(selector);
  const list = document.getElementById("list");
  const queries = list ? Array.from(list.children) : [];
  for (const controls of document.querySelectorAll(".controls")) controls.hidden = false;

  const chosen = () => {
    const selects = ["#first", "#second"].map(one);
    return selects[0] ? selects.map((select) => Number(select.value)) : [0, 0];
  };
  const difference = (number, [a, b]) => {
    const values = data.values[number];
    return values[a] === null || values[b] === null ? null : values[a] - values[b];
  };

  const signed = (value) => {
    const text = Math.abs(value).toFixed(3);
    return Number(text) === 0 ? text : (value > 0 ? "+" : "\u2212") + text;
  };
  const probability = (value) => (value < 0.001 ? "< 0.001" : "= " + value.toFixed(3));
  const verdict = ([a, b]) => {
    if (a === b) return "Choose two different modes.";
    const turned = a > b;
    const pair = data.pairs.find((found) => found.first === Math.min(a, b) && found.second === Math.max(a, b));
    const [wins, losses] = turned ? [pair.losses, pair.wins] : [pair.wins, pair.losses];
    const [mean, low, high] = turned
      ? [-pair.difference, -pair.high, -pair.low] : [pair.difference, pair.low, pair.high];
    return `${modes[a].letter} is better on ${wins}, ${modes[b].letter} on ${losses}, and they are equal on ${pair.ties} of `
      + `${pair.cases} cases. Mean difference ${signed(mean)}, 95 % interval ${signed(low)} to ${signed(high)}; `
      + `p ${probability(pair.p_permutation)} (permutation test).`;
  };

  // The same steps as plots/differences.py.
  const bars = (values, left, right, up) => {
    const width = (right - left) / values.length;
    const gap = width >= 5 ? 1 : 0;
    let path = "";
    for (let start = 0, number = 1; number <= values.length; number += 1) {
      if (number < values.length && !gap && Math.abs(values[number] - values[start]) < 1e-9) continue;
      if (Math.abs(values[start]) > 1e-9) {
        path += `M${(left + width * start).toFixed(1)} ${up(0).toFixed(1)}V${up(values[start]).toFixed(1)}`
          + `H${(left + width * number - gap).toFixed(1)}V${up(0).toFixed(1)}z`;
      }
      start = number;
    }
    return path;
  };
  let sorted = [];
  const draw = () => {
    const [a, b] = chosen();
    sorted = data.values.map((_, number) => [difference(number, [a, b]), number]).filter(([value]) => value !== null);
    sorted.sort((x, y) => y[0] - x[0] || x[1] - y[1]);
    for (const plot of document.querySelectorAll("svg.differences")) {
      const [left, right, top, bottom] = ["left", "right", "top", "bottom"].map((name) => Number(plot.dataset[name]));
      const up = (value) => bottom + ((top - bottom) * (value + 1)) / 2;
      const part = (name) => plot.querySelector(`[data-part=${name}]`);
      part("won").setAttribute("d", bars(sorted.map(([value]) => Math.max(0, value)), left, right, up));
      part("lost").setAttribute("d", bars(sorted.map(([value]) => Math.min(0, value)), left, right, up));
      part("won").setAttribute("class", `bar s${a % data.colours}`);
      part("lost").setAttribute("class", `bar s${b % data.colours}`);
      part("above").textContent = `${modes[a].letter} better`;
      part("below").textContent = `${modes[b].letter} better`;
      part("count").textContent = `${sorted.length.toLocaleString("en")} case${sorted.length === 1 ? "" : "s"}, sorted by difference`;
    }
    one("#names").textContent = `${modes[a].letter} ${modes[a].label} against ${modes[b].letter} ${modes[b].label}.`;
    one("#verdict").textContent = verdict([a, b]);
  };

  const under = (event) => {
    const plot = event.currentTarget;
    const box = plot.getBoundingClientRect();
    const x = ((event.clientX - box.left) * plot.viewBox.baseVal.width) / box.width;
    const [left, right] = [Number(plot.dataset.left), Number(plot.dataset.right)];
    return sorted[Math.floor(((x - left) / (right - left)) * sorted.length)];
  };
  for (const plot of document.querySelectorAll("svg.differences")) {
    plot.addEventListener("mousemove", (event) => {
      const found = under(event);
      if (!found) return;
      const [a, b] = chosen();
      const values = data.values[found[1]];
      one("#readout").textContent = `${data.ids[found[1]]}: ${modes[a].letter} ${values[a].toFixed(3)}, `
        + `${modes[b].letter} ${values[b].toFixed(3)} (${signed(found[0])})`;
    });
    plot.addEventListener("click", (event) => {
      const found = under(event);
      const query = found && document.getElementById(`q${found[1]}`);
      if (!query) return;
      query.hidden = false;
      query.open = true;
      query.querySelector("summary").focus();
      query.scrollIntoView({ block: "start" });
    });
  }

  const order = () => {
    const pair = chosen();
    const way = one("#order").value;
    const rank = (query) => {
      const number = Number(query.id.slice(1));
      const value = difference(number, pair) ?? 0;
      return { first: -value, second: value, apart: -Math.abs(value), lowest: data.values[number][0], given: number }[way];
    };
    queries.sort((x, y) => rank(x) - rank(y) || Number(x.id.slice(1)) - Number(y.id.slice(1)));
    list.append(...queries);
  };
  const filter = () => {
    const wanted = one("#filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const query of queries) {
      const text = query.textContent.toLowerCase();
      query.hidden = !wanted.every((word) => text.includes(word));
      shown += query.hidden ? 0 : 1;
    }
    one("#shown").textContent = wanted.length ? `${shown} of ${queries.length} queries match.` : "";
  };

  for (const select of ["#first", "#second"].map(one).filter(Boolean)) {
    select.addEventListener("change", () => {
      draw();
      if (one("#order").value !== "given") order();
    });
  }
  one("#order")?.addEventListener("change", order);
  one("#filter")?.addEventListener("input", filter);
  if (one("#first")) {
    draw();
    order();
  }
  const follow = () => {
    const query = /^#q\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (query) query.open = true;
  };
  addEventListener("hashchange", follow);
  follow();
})();
