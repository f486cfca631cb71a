// The lines of a result that speak for the query, with gaps between them. A button opens the rest.

import { Problem, get } from "./api.js";
import { clean, counted, h, oneLine } from "./dom.js";
import { block, code, linesOf, row } from "./highlight.js";
import { toast } from "./notice.js";
import { current } from "./state.js";

const SHORT = 12;
const MOST_LINES = 400;
const CONTINUED_COMMENT = /^\s*\*(?:[\s/]|$)/;

/** What matches in which line. */
export const hitsOf = (result) => new Map((result?.matches || []).map(({ line, spans }) => [line, spans]));

const labelled = (result) => `Lines of ${oneLine(result.symbol || result.path)}`;

/** The lines to show at first: the whole of something short, else those that match. */
export const excerpt = (result, level) => {
  const numbered = level === "function" || level === "symbol";
  const lines = result.end_line - result.start_line + 1;
  const matches = [...result.matches].sort((one, other) => one.line - other.line);
  const whole = numbered && lines <= SHORT;
  const shown =
    whole || !matches.some(({ spans }) => spans.length)
      ? code(result.snippet, result.language, {
          first: numbered ? result.start_line : null,
          hits: hitsOf(result),
          label: labelled(result),
        })
      : block(rowsOf(result, matches, numbered), { label: labelled(result) });
  const count = shown.querySelectorAll(".l").length;
  const element = h("div", { class: "excerpt" }, shown);
  if (lines > count && (numbered || lines <= MOST_LINES)) element.append(opener(element, result, lines - count));
  return element;
};

/** Rows of the matching lines, coloured as they stand in the source as far as it is at hand. */
const rowsOf = (result, matches, numbered) => {
  const near = numbered ? linesOf(result.snippet, result.language) : [];
  let last = null;
  return matches.flatMap(({ line, text, spans }) => {
    const said = clean(text).replaceAll("\n", " ");
    const known = near[line - result.start_line];
    const same = known && known.map(([, part]) => part).join("") === said;
    const parts = same ? known : CONTINUED_COMMENT.test(said) ? [["comment", said]] : linesOf(said, result.language)[0];
    const gap = last !== null && line > last + 1 ? [h("span", { class: "gap", "aria-hidden": "true" }, "⋮\n")] : [];
    last = line;
    return [...gap, row(parts, { at: line, spans })];
  });
};

/** The button that opens the rest and closes it again. */
const opener = (element, result, more) => {
  const brief = element.firstChild;
  const text = `${counted(more, "more line")}`;
  const button = h("button", { type: "button", class: "rest", "aria-expanded": "false" }, text);
  const set = (shown, open) => {
    element.firstChild.replaceWith(shown);
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Fewer lines" : text;
  };
  button.addEventListener("click", async () => {
    if (element.firstChild !== brief) {
      set(brief, false);
      element.closest(".result").scrollIntoView({ block: "nearest" });
      return;
    }
    try {
      set(await whole(result), true);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      toast(error.message);
    }
  });
  return button;
};

const whole = async (result) => {
  const { repository, path, start_line: first, end_line: last } = result;
  const lines = `${first}-${Math.min(last, first + MOST_LINES - 1)}`;
  const unit = await get("unit", { repository, path, lines, at: current().at });
  return code(unit.text, unit.language, { first: unit.start_line, hits: hitsOf(result), label: labelled(result) });
};
