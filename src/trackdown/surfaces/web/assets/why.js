// Why a result was found: every signal as a bar with what matched, and the numbers for those who ask for them.

import { counted, h, oneLine } from "./dom.js";
import { commitsIn, numbersIn, signalColour, signalMeaning, signalName } from "./signals.js";
import { commitLink } from "./commit_view.js";

let withNumbers = false;

export const why = (result) => {
  const values = result.why.map((one) => one.value);
  const low = Math.min(0, ...values),
    high = Math.max(...values, 1e-9);
  const sum = values.reduce((total, value) => total + value, 0);
  const shown = h(
    "div",
    { class: "why" },
    h(
      "dl",
      { class: "signals" },
      result.why.map((one) => signal(one, low, high, result.repository)),
    ),
    h(
      "p",
      { class: "sum number" },
      `${counted(result.why.length, "signal")} ${Math.abs(sum - result.score) < 0.005 ? "add up to" : "give"} the score`,
      h("b", {}, result.score.toFixed(2)),
    ),
    toggle(() => show(shown)),
    meanings(result.why),
  );
  show(shown);
  return shown;
};

/** What the names of the signals mean. */
const meanings = (reasons) =>
  h(
    "details",
    { class: "meanings" },
    h("summary", {}, "What these mean"),
    h(
      "dl",
      {},
      reasons
        .filter(({ signal }) => signalMeaning(signal))
        .map(({ signal }) => [h("dt", {}, signalName(signal)), h("dd", {}, signalMeaning(signal))]),
    ),
  );

/** The button that shows and hides numbers, here and at every result picked from now on. */
const toggle = (changed) =>
  h(
    "button",
    {
      type: "button",
      class: "numbers-toggle",
      on: {
        click: () => {
          withNumbers = !withNumbers;
          changed();
        },
      },
    },
    "Numbers",
  );

const show = (element) => {
  element.classList.toggle("with-numbers", withNumbers);
  element.querySelector(".numbers-toggle").setAttribute("aria-pressed", String(withNumbers));
};

const signal = (one, low, high, repository) => {
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
      one.value < 0 ? h("span", { class: "against" }, "counts against it") : "",
      h(
        "span",
        { class: "value number" },
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
      detail(one, repository),
    ),
  );
};

const detail = (one, repository) => {
  const commits = commitsIn(one);
  if (commits.length) return h("ul", { class: "past detail" }, commits.map((one) => commit(one, repository)));
  const numbers = numbersIn(one);
  return [
    one.text ? h("p", { class: "detail" }, oneLine(one.text)) : "",
    numbers.length
      ? h(
          "ul",
          { class: "terms detail number" },
          numbers.map(({ name, value }) => h("li", {}, oneLine(name), h("span", {}, value))),
        )
      : "",
  ];
};

const commit = ({ id, subject, date, value }, repository) =>
  h(
    "li",
    {},
    h(
      "span",
      {},
      h("code", {}, id.slice(0, 7)),
      h("a", { href: commitLink(id, repository) }, oneLine(subject)),
    ),
    h("span", { class: "when" }, h("span", { class: "number" }, `${value} · `), date),
  );
