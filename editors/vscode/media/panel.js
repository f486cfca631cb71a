// The panel's page. Text from repositories becomes text nodes, never markup.
"use strict";

const vscode = acquireVsCodeApi();
const form = document.getElementById("form");
const query = document.getElementById("query");
const state = document.getElementById("state");
const results = document.getElementById("results");

form.addEventListener("submit", (event) => {
  event.preventDefault();
  vscode.postMessage({ kind: "search", text: query.value });
});

query.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    form.requestSubmit();
  }
});

window.addEventListener("message", ({ data }) => {
  results.replaceChildren();
  results.setAttribute("aria-busy", String(data.kind === "searching"));
  if (data.kind === "searching") {
    query.value = data.text;
    state.textContent = "Searching. The first search indexes the repository.";
  } else if (data.kind === "error") {
    state.textContent = data.text;
  } else {
    query.value = data.text;
    showAnswer(data.answer);
  }
});

function showAnswer(answer) {
  const found = answer.results.length;
  const parts = [found ? `${found} result${found === 1 ? "" : "s"}` : "Nothing found", answer.verdict, ...answer.notes];
  state.textContent = parts.filter(Boolean).join(" · ");
  answer.results.forEach((result, number) => results.append(item(result, number)));
}

function item(result, number) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    line("symbol", result.symbol || result.path),
    line("place", `${result.path}:${result.line}`),
    line("match", result.match),
    line("reason", result.reason),
  );
  button.addEventListener("click", () => vscode.postMessage({ kind: "open", number }));
  const entry = document.createElement("li");
  entry.append(button);
  return entry;
}

function line(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text || "";
  span.hidden = !text;
  return span;
}

vscode.postMessage({ kind: "ready" });
