// What the reasons of a result say, taken apart so that they can be drawn.

import { oneLine } from "./dom.js";

const NAMES = {
  lexical: "Words in the code",
  messages: "Messages in the code",
  mentions: "Named in the query",
  references: "Issues and commits in the query",
  commits: "Past commits",
  filters: "Filters",
  "commit-reranker": "Past commits, read closely",
  dense: "Vocabulary",
  deep: "Meaning, of all code",
  encoder: "Meaning",
  "code-reranker": "Close reading",
  graph: "Related code",
  llm: "Language model",
};
const COLOURED = new Set([
  "lexical",
  "mentions",
  "commits",
  "dense",
  "deep",
  "encoder",
  "graph",
  "code-reranker",
  "commit-reranker",
]);
const SHORTEST_TERM = 3;
const MOST_TERMS = 24;

/** What to call a signal; one that is not in the table goes by its own name. */
export const signalName = (signal) => NAMES[signal] || oneLine(signal).replaceAll("-", " ");
export const signalColour = (signal) => (COLOURED.has(signal) ? `var(--${signal})` : "var(--other-signal)");

/** The numbers of a reason as people read them: [{ name, value }]. */
export const numbersIn = ({ numbers }) =>
  Object.entries(numbers).map(([name, value]) => ({ name, value: `${Number(value.toFixed(2))}` }));

/** The past commits among the numbers of a reason: [{ id, subject, date, value }]. */
export const commitsIn = (why) =>
  numbersIn(why).flatMap(({ name, value }) => {
    const [, id, subject, date] = /^([0-9a-f]{7,40}) (.*) \((\d{4}-\d\d-\d\d)\)$/s.exec(name) || [];
    return id ? [{ id, subject, date, value }] : [];
  });

/** Which words of a result's code to mark. */
export const termsOf = (result) => {
  const lexical = result.why.find((why) => why.signal === "lexical");
  return Object.keys(lexical?.numbers || {})
    .filter((term) => term.length >= SHORTEST_TERM && !term.includes(" "))
    .slice(0, MOST_TERMS);
};
