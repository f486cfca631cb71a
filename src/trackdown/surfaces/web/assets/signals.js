// What the reasons of a result say, taken apart so that they can be drawn.

import { oneLine } from "./dom.js";

const SIGNALS = {
  lexical: ["Your words", "Words of your text occur in this code, its name or its path. Rare words count more."],
  messages: ["A message you quote", "Your text quotes a message, or most of one, that this code contains."],
  mentions: ["Named by you", "Your text names this place: a path, a function or class, or a frame of a traceback."],
  references: ["An issue or commit you cite", "Your text gives the number of an issue or a commit that changed this file."],
  commits: ["Past changes", "Messages of commits that changed this file have words of your text."],
  "commit-reranker": ["Past changes, compared by a model", "A model read those messages together with your text."],
  dense: ["Similar words", "Words of this code that mean much the same as yours, compared one by one."],
  encoder: ["Same topic", "A model puts your text and this code, each read alone, close together."],
  "late-interaction": ["Same topic, word by word", "For each word of your text, a model looks for the word of this code that is closest in meaning."],
  deep: ["Same topic, out of all code", "The same comparison, made with all the code and not only with the best candidates."],
  "code-reranker": ["Read together with your text", "A model read this code together with your text and judged whether they belong together."],
  graph: ["Next to a good result", "It calls, contains or inherits from another good result, or the other way round."],
  llm: ["Ordered by the language model", "The language model saw the best results and put them in order."],
  filters: ["Filters", "It matches the filters."],
};
const COLOURED = new Set([
  "lexical",
  "mentions",
  "commits",
  "dense",
  "deep",
  "encoder",
  "late-interaction",
  "graph",
  "code-reranker",
  "commit-reranker",
]);
const SHORTEST_TERM = 3;
const MOST_TERMS = 24;

/** What to call a signal; one that is not in the table goes by its own name. */
export const signalName = (signal) => SIGNALS[signal]?.[0] || oneLine(signal).replaceAll("-", " ");
/** What it means, in a sentence. */
export const signalMeaning = (signal) => SIGNALS[signal]?.[1] || "";
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
