// The trackdown program: one search at a time, without a shell, its answer as JSON.
"use strict";

const { spawn } = require("node:child_process");

const LONGEST_MS = 10 * 60 * 1000; // the first search of a large repository indexes it
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * The arguments of a search. A query of one line may have filters; longer text is an issue, and goes through standard
 * input, where it can be of any length. `issue` is a number or an address for the program to fetch.
 */
function searchArguments({ text, issue, folder, results, level }) {
  const options = ["search", "--format", "json", "-k", String(results), "--level", level];
  if (issue) {
    return { args: [...options, `--issue=${issue}`, "--", folder], input: "" };
  }
  if (text.includes("\n")) {
    return { args: [...options, "--issue=-", "--", folder], input: text };
  }
  return { args: [...options, "--", text, folder], input: "" };
}

/** Start the program. Returns a promise of its answer, and a function that ends it. */
function runSearch(command, request) {
  const { args, input } = searchArguments(request);
  const child = spawn(command, args, { cwd: request.folder, stdio: ["pipe", "pipe", "pipe"], shell: false });
  const timer = setTimeout(() => child.kill(), LONGEST_MS);
  const answer = new Promise((resolve, reject) => {
    const output = [];
    let size = 0;
    let errors = "";
    child.stdout.on("data", (piece) => {
      size += piece.length;
      if (size > MOST_BYTES) {
        child.kill();
      } else {
        output.push(piece);
      }
    });
    child.stderr.on("data", (piece) => {
      errors = (errors + piece).slice(-4000);
    });
    child.stdin.on("error", () => {}); // it may end before it has read everything
    child.on("error", (error) => reject(new Error(startError(command, error))));
    child.on("close", (code) => {
      if (code !== 0) {
        reject(new Error(lastLine(errors) || `${command} ended with ${code}`));
        return;
      }
      try {
        resolve(JSON.parse(Buffer.concat(output).toString("utf8")));
      } catch {
        reject(new Error(`${command} did not answer with JSON: is it Trackdown?`));
      }
    });
    child.stdin.end(input);
  }).finally(() => clearTimeout(timer));
  return { answer, stop: () => child.kill() };
}

function startError(command, error) {
  if (error.code === "ENOENT") {
    return `${command} was not found: install Trackdown, or set trackdown.command to its full path`;
  }
  return `${command} cannot be started: ${error.message}`;
}

function lastLine(text) {
  const lines = text.trim().split("\n");
  return lines[lines.length - 1].replace(/^trackdown: /, "").trim();
}

module.exports = { runSearch, searchArguments };
