// Why a result was found: every signal as a bar, and what is behind it.

import { counted, h, oneLine } from "./dom.js";
import { commitsIn, signalColour, signalName, termsIn } from "./signals.js";
import { link } from "./state.js";

export const why = (result) => {
  const values = result.why.map((one) => one.value);
  const low = Math.min(0, ...values),
    high = Math.max(...values, 1e-9);
  const sum = values.reduce((total, value) => total + value, 0);
  return h(
    "div",
    {},
    h(
      "dl",
      { class: "signals" },
      result.why.map((one) => signal(one, low, high)),
    ),
    h(
      "p",
      { class: "sum" },
      `${counted(result.why.length, "signal")} ${Math.abs(sum - result.score) < 0.005 ? "add up to" : "give"} the score`,
      h("b", {}, result.score.toFixed(2)),
    ),
  );
};

const signal = (one, low, high) => {
  const share = (value) => `${(100 * value) / (high - low)}%`;
  const zero = share(-low);
  const bar =
    one.value < 0
      ? { left: share(one.value - low), width: share(-one.value) }
      : { left: zero, width: share(one.value) };
  return h(
    "div",
    { class: "signal", css: { "--c": signalColour(one.signal) }, "data-signal": oneLine(one.signal) },
    h(
      "dt",
      {},
      h("span", { class: "key-to" }, signalName(one.signal)),
      h(
        "span",
        { class: "value" },
        one.value ? `${one.value > 0 ? "+" : "−"}${Math.abs(one.value).toFixed(2)}` : "moved only",
      ),
    ),
    h(
      "dd",
      {},
      h(
        "div",
        { class: "track", "aria-hidden": "true" },
        h("i", { css: bar }),
        low < 0 ? h("span", { class: "zero", css: { left: zero } }) : "",
      ),
      detail(one),
    ),
  );
};

const detail = ({ signal: name, detail: text }) => {
  const terms = name === "lexical" ? termsIn(text) : [];
  if (terms.length)
    return h(
      "ul",
      { class: "terms detail" },
      terms.map(({ term, points, where }) =>
        h("li", { title: `in ${oneLine(where)}` }, oneLine(term), h("span", {}, points)),
      ),
    );
  const commits = name.startsWith("commit") ? commitsIn(text) : [];
  if (!commits.length) return h("p", { class: "detail" }, oneLine(text));
  const lead = text
    .slice(0, text.indexOf(commits[0].id))
    .replace(/\blike $/, "")
    .trim();
  return [
    lead ? h("p", { class: "detail" }, oneLine(lead)) : "",
    h(
      "ul",
      { class: "past detail" },
      commits.map(({ id, subject, date }) =>
        h(
          "li",
          {},
          h(
            "span",
            {},
            h("code", {}, id.slice(0, 7)),
            h(
              "a",
              {
                href: link({ view: "history", q: oneLine(subject), pick: "", of: "", tab: "" }),
                title: "Commits like this one",
              },
              oneLine(subject),
            ),
          ),
          h("span", { class: "when" }, date),
        ),
      ),
    ),
  ];
};
