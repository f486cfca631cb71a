// The line above the results: how it stands, and what is worth knowing.

import { byId, h, oneLine } from "./dom.js";

const VERDICTS = { strong: "Strong", likely: "Likely", weak: "Weak" };
let timer = 0;

export const percent = (share) => (share > 0 && share <= 0.005 ? "<1%" : `${Math.round(100 * share)}%`);

/** Say how it stands; also to who listens. */
export const say = (text, { busy = false } = {}) => {
  const place = byId("status");
  place.classList.toggle("reading", busy);
  if (place.textContent !== text) place.textContent = text;
  if (!text || busy) byId("status-more").replaceChildren();
};

/** More beside it, for who looks. */
export const sayMore = (node) => byId("status-more").replaceChildren(node);

/** Words that notes begin with. Other notes begin with a name, which stays as it is. */
const OPENING =
  /^(?:an?|another|cut|every|files|filters|its?|no|nothing|one|only|results|searched|showing|the|there|this) /;

/** A note or a verdict as the page says it: asking for files is a choice here. */
const advice = (text) =>
  oneLine(text)
    .replaceAll("(level file)", "(choose Files)")
    .replaceAll("search with level file", "choose Files")
    .replaceAll("search with level class", "choose Classes");

const sentence = (text) => (OPENING.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** Notes and, above them, how sure the answer is. */
export const showNotes = (notes, confidence = null) =>
  byId("notes").replaceChildren(
    ...(confidence
      ? [
          h(
            "p",
            { class: `verdict ${confidence.verdict}` },
            h("strong", { class: "badge" }, VERDICTS[confidence.verdict]),
            h(
              "span",
              {},
              `${percent(confidence.probability)} sure that a right place is listed: ${advice(confidence.why)}.`,
            ),
          ),
        ]
      : []),
    ...(notes.length
      ? [
          h(
            "ul",
            { class: "notes", "aria-label": "Notes" },
            notes.map((note) => h("li", {}, sentence(advice(note)))),
          ),
        ]
      : []),
  );

/** Count down on the page and then do it; 0 seconds calls it off. */
export const retryLater = (seconds, again = null) => {
  clearInterval(timer);
  if (!again) return;
  let left = Math.min(60, Math.ceil(seconds));
  const tick = () => {
    const place = byId("countdown");
    if (!place) clearInterval(timer);
    else if (left > 0) place.textContent = `Trying again in ${left} s.`;
    else {
      clearInterval(timer);
      again();
    }
    left -= 1;
  };
  tick();
  timer = setInterval(tick, 1000);
};
