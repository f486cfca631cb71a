// The server, as the page speaks to it. Every failure is a Problem.

import { parameters } from "./address.js";

const TOKEN = "trackdown.token";

export class Problem extends Error {
  constructor({ type = "", status = 0, title = "", detail = "", retryAfter = 0 }) {
    super(detail || title);
    Object.assign(this, { type, status, title, detail, retryAfter });
  }
}

export const keepToken = (token) => {
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    /* then it is asked for again */
  }
};

const keptToken = () => {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null; /* storage may be forbidden */
  }
};

/** Whether the server is asked with a token: then a plain link into the API leads nowhere. */
export const usesToken = () => Boolean(keptToken());

const headers = (more = {}) => {
  const token = keptToken();
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
};

const reach = async (path, options) => {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({
      title: "The server is not responding",
      detail: "It may have been stopped, or the connection was lost.",
    });
  }
  if (answer.ok) return answer;
  let said = {};
  try {
    said = await answer.json();
  } catch {
    /* not a problem document: the status has to do */
  }
  throw new Problem({
    type: said.type || "",
    status: answer.status,
    title: said.title || answer.statusText,
    detail: said.detail || "",
    retryAfter: Number(answer.headers.get("Retry-After")) || 0,
  });
};

const given = (values) =>
  parameters(Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined));

/** The JSON answer of a GET. Raises Problem. */
export const get = async (path, parameters = {}, signal = undefined) =>
  (await reach(`v1/${path}?${given(parameters)}`, { headers: headers({ Accept: "application/json" }), signal })).json();

/** Post a search and hear its events: heard(name, data). Raises Problem, also for one that comes within the stream. */
export const stream = async (body, heard, signal) => {
  const answer = await reach("v1/search/stream", {
    method: "POST",
    signal,
    body: JSON.stringify(body),
    headers: headers({ "Content-Type": "application/json", Accept: "text/event-stream" }),
  });
  let ended = false;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for await (const { name, data } of events(reader)) {
      if (name === "problem") throw new Problem({ ...data, retryAfter: data.retry_after || 0 });
      if (name === "done") ended = true;
      heard(name, data);
    }
  } catch (error) {
    if (error.name === "AbortError" || error instanceof Problem) throw error;
    throw new Problem({
      title: "The answer was cut off",
      detail: "The connection to the server was lost while it was answering.",
    });
  } finally {
    reader.cancel().catch(() => {});
  }
  if (!ended) throw new Problem({ title: "The answer was cut off", detail: "The server stopped before it was done." });
};

/** Server-sent events out of a stream of text, whatever pieces it comes in. */
export async function* events(reader) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
    text = blocks.pop();
    for (const block of blocks) {
      const event = { name: "message", data: [] };
      for (const line of block.split(/\r\n|\n|\r/)) {
        const [, field, content] = /^([^:]*):? ?(.*)$/.exec(line);
        if (field === "event") event.name = content;
        else if (field === "data") event.data.push(content);
      }
      if (event.data.length) yield { name: event.name, data: JSON.parse(event.data.join("\n")) };
    }
  }
}
