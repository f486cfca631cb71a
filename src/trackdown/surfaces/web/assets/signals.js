// What the reasons of a result say, taken apart so that they can be drawn.

import { oneLine } from "./dom.js";

const NAMES = {
  lexical: "Words in the code",
  mentions: "Named in the query",
  commits: "Past commits",
  dense: "Meaning",
  encoder: "Meaning (encoder)",
  graph: "Related in the graph",
  "code-reranker": "Code read by a model",
  "commit-reranker": "Commits read by a model",
  llm: "Language model",
};
const COLOURED = new Set([
  "lexical",
  "mentions",
  "commits",
  "dense",
  "encoder",
  "graph",
  "code-reranker",
  "commit-reranker",
]);
const SHORTEST_TERM = 3;
const MOST_TERMS = 24;

export const signalName = (signal) => NAMES[signal] || oneLine(signal);
export const signalColour = (signal) => (COLOURED.has(signal) ? `var(--${signal})` : "var(--other-signal)");

/** The words that a lexical reason names, with their points: [{ term, points, where }]; none if it reads otherwise. */
export const termsIn = (detail) => {
  const found = detail.split(", ").map((part) => /^(\S+) (-?\d+(?:\.\d+)?)(?: in (.+))?$/.exec(part));
  return found.every(Boolean) ? found.map(([, term, points, where]) => ({ term, points, where: where || "body" })) : [];
};

/** The past commits that a reason names: [{ id, subject, date }]. */
export const commitsIn = (detail) =>
  Array.from(detail.matchAll(/([0-9a-f]{7,40}) (.*?) \((\d{4}-\d\d-\d\d)\)(?=; |$)/g), ([, id, subject, date]) => ({
    id,
    subject,
    date,
  }));

/** Which words of a result's code to mark. */
export const termsOf = (result) => {
  const lexical = result.why.find((why) => why.signal === "lexical");
  return lexical
    ? termsIn(lexical.detail)
        .map(({ term }) => term)
        .filter((term) => term.length >= SHORTEST_TERM)
        .slice(0, MOST_TERMS)
    : [];
};
