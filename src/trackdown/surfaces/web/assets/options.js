// The less common options of a search, in a menu beside the filters.

import { all, byId, h } from "./dom.js";
import { DEFAULTS, OPTIONS, current } from "./state.js";

const CHECKS = [
  ["graph", "Related code", "Promote code related to the top results by calls, imports or inheritance."],
  ["adaptive", "Adaptive weights", "Weight the retrievers by the kind of query."],
  ["gar", "Generated answer (GAR)", "Also search for code that a language model writes as an answer."],
  ["reco", "Rewritten code (ReCo)", "Like GAR, and match code together with its rewrites."],
];
const RERANK = [
  ["", "Set by the effort"],
  ["1", "Always"],
  ["0", "Never"],
];

const row = (name, text, control) => h("label", { class: "option" }, h("span", {}, text), control);

const field = (name, type, more, take) =>
  h("input", { id: `option-${name}`, name, type, spellcheck: "false", autocapitalize: "off", ...more, on: take });

/** Make the menu. `changed` takes changes of the state. */
export const makeOptions = (changed) => {
  const takeText = (name, read) => {
    const take = (event) => {
      const value = read(event.target.value.trim());
      if (value !== current()[name] && event.target.checkValidity()) changed({ [name]: value });
    };
    const onEnter = (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault(); // of sending the form, which would search twice
      take(event);
    };
    return { change: take, keydown: onEnter };
  };
  const number = (text) => (text === "" ? "" : Number(text));
  const rerank = h(
    "select",
    { id: "option-rerank", name: "rerank", on: { change: (event) => changed({ rerank: event.target.value }) } },
    RERANK.map(([value, text]) => h("option", { value }, text)),
  );
  const budget = { min: 0, max: 60000, step: 1, placeholder: "Default", inputmode: "numeric" };
  const candidates = { min: 1, max: 1000, step: 1, placeholder: "Default", inputmode: "numeric" };
  byId("options").addEventListener("toggle", keepOnScreen);
  byId("option-list").replaceChildren(
    row("mode", "Mode", field("mode", "text", { placeholder: "e.g. hybrid+rrf" }, takeText("mode", String))),
    row("rerank", "Rerank with models", rerank),
    row("budget", "Time for models (ms)", field("budget", "number", budget, takeText("budget", number))),
    row("candidates", "Candidates to read", field("candidates", "number", candidates, takeText("candidates", number))),
    ...CHECKS.map(([name, text, title]) =>
      h(
        "label",
        { title },
        h("input", {
          id: `option-${name}`,
          name,
          type: "checkbox",
          on: { change: (event) => changed({ [name]: event.target.checked }) },
        }),
        h("span", {}, text),
      ),
    ),
  );
};

/** Open the menu towards the left where it would leave the screen on the right. */
const keepOnScreen = () => {
  const [menu, list] = [byId("options"), byId("option-list")];
  const right = menu.getBoundingClientRect().left + list.offsetWidth;
  list.classList.toggle("leftwards", right > document.documentElement.clientWidth);
};

/** Show the state in the menu and count what differs from the defaults. */
export const showOptions = (state) => {
  for (const control of all("[name]", byId("option-list"))) {
    if (control.type === "checkbox") control.checked = state[control.name];
    else if (document.activeElement !== control) control.value = String(state[control.name]);
  }
  const count = OPTIONS.filter((name) => state[name] !== DEFAULTS[name]).length;
  byId("options-chosen").textContent = count ? `${count} set` : "Default";
  byId("options").querySelector("summary").classList.toggle("set", count > 0);
};
