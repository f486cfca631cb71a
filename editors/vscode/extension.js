// Trackdown in VS Code: a panel to search in, a command for the selected issue, and results that open in the editor.
"use strict";

const crypto = require("node:crypto");
const path = require("node:path");
const vscode = require("vscode");
const { runSearch } = require("./program");

const ISSUE_NAME = /^(?:[#!]?\d+|[\w.-]+(?:\/[\w.-]+)+[#!]\d+|https?:\/\/\S+)$/;

class Panel {
  constructor(extensionUri) {
    this.extensionUri = extensionUri;
    this.view = undefined;
    this.running = undefined;
    this.results = [];
    this.folder = undefined;
    this.last = undefined; // what the panel shows, for a view that was hidden meanwhile
  }

  resolveWebviewView(view) {
    this.view = view;
    const media = vscode.Uri.joinPath(this.extensionUri, "media");
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };
    view.webview.onDidReceiveMessage((message) => this.receive(message));
    view.webview.html = page(view.webview, media);
    view.onDidDispose(() => {
      this.view = undefined;
    });
  }

  receive(message) {
    if (message.kind === "ready" && this.last) {
      this.view.webview.postMessage(this.last);
    } else if (message.kind === "search" && typeof message.text === "string") {
      this.search({ text: message.text });
    } else if (message.kind === "open" && Number.isInteger(message.number)) {
      this.open(this.results[message.number]);
    }
  }

  show(message) {
    this.last = message;
    if (this.view) {
      this.view.webview.postMessage(message);
    }
  }

  async search({ text = "", issue = "" }) {
    const wanted = text.trim();
    if (!wanted && !issue) {
      return;
    }
    const folder = workspaceFolder();
    if (!folder) {
      this.show({ kind: "error", text: "Open a folder first: there is nothing to search." });
      return;
    }
    if (this.running) {
      this.running.stop();
    }
    const settings = vscode.workspace.getConfiguration("trackdown");
    const request = {
      text: wanted,
      issue,
      folder,
      results: settings.get("results"),
      level: settings.get("level"),
    };
    this.show({ kind: "searching", text: issue || wanted });
    const running = runSearch(settings.get("command"), request);
    this.running = running;
    try {
      const answer = await running.answer;
      if (this.running === running) {
        this.folder = folder;
        this.results = answer.results;
        this.show({ kind: "results", text: issue || wanted, answer: forPanel(answer) });
      }
    } catch (error) {
      if (this.running === running) {
        this.results = [];
        this.show({ kind: "error", text: error.message });
      }
    } finally {
      if (this.running === running) {
        this.running = undefined;
      }
    }
  }

  async open(result) {
    if (!result || !this.folder) {
      return;
    }
    const root = await repositoryRoot(this.folder, result.path);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path.join(root, result.path)));
    const line = Math.min(Math.max((result.line || result.start_line || 1) - 1, 0), document.lineCount - 1);
    const editor = await vscode.window.showTextDocument(document, { preview: true });
    const place = new vscode.Range(line, 0, line, 0);
    editor.selection = new vscode.Selection(place.start, place.end);
    editor.revealRange(place, vscode.TextEditorRevealType.InCenter);
  }
}

/** What the panel shows of an answer. */
function forPanel(answer) {
  return {
    verdict: answer.confidence ? answer.confidence.verdict : "",
    notes: answer.notes,
    results: answer.results.map((result) => ({
      path: result.path,
      symbol: result.symbol,
      line: result.line || result.start_line,
      reason: result.reason,
      match: matchText(result),
    })),
  };
}

/** The text of the line that a result leads to. */
function matchText(result) {
  const matches = result.matches || [];
  const best = matches.find((match) => match.line === result.line) || matches[0];
  return best ? best.text.trim().slice(0, 200) : "";
}

function workspaceFolder() {
  const editor = vscode.window.activeTextEditor;
  const own = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
  const folder = own || (vscode.workspace.workspaceFolders || [])[0];
  return folder && folder.uri.scheme === "file" ? folder.uri.fsPath : undefined;
}

/** The folder that a result's path starts from: the opened one, or one above it if that is part of a repository. */
async function repositoryRoot(folder, relative) {
  for (let root = folder; ; root = path.dirname(root)) {
    try {
      await vscode.workspace.fs.stat(vscode.Uri.file(path.join(root, relative)));
      return root;
    } catch {
      if (root === path.dirname(root)) {
        return folder;
      }
    }
  }
}

function page(webview, media) {
  const nonce = crypto.randomBytes(16).toString("hex");
  const address = (name) => webview.asWebviewUri(vscode.Uri.joinPath(media, name));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${address("panel.css")}">
<title>Trackdown</title>
</head>
<body>
<form id="form">
<label for="query">Issue, question or name</label>
<textarea id="query" rows="3" placeholder="Paste an issue, ask, or type a name"></textarea>
<button type="submit">Search</button>
</form>
<p id="state" role="status"></p>
<ol id="results"></ol>
<script nonce="${nonce}" src="${address("panel.js")}"></script>
</body>
</html>`;
}

/** The issue at hand: the selection, or what is typed: a number, an address, or text. */
async function findForIssue(panel) {
  const editor = vscode.window.activeTextEditor;
  const selected = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : "";
  let wanted = selected;
  if (!wanted) {
    wanted = await vscode.window.showInputBox({
      title: "Find Code for This Issue",
      prompt: "The issue's number, its address, or its text. A number is one of the origin remote.",
    });
  }
  if (!wanted || !wanted.trim()) {
    return;
  }
  await vscode.commands.executeCommand("trackdown.panel.focus");
  const isName = !selected && ISSUE_NAME.test(wanted.trim());
  await panel.search(isName ? { issue: wanted.trim() } : { text: wanted });
}

async function askAndSearch(panel) {
  const text = await vscode.window.showInputBox({
    title: "Search Code and History",
    prompt: "An issue, a question or a name. Filters: path:, lang:, kind:, symbol:, \"exact phrase\"",
  });
  if (text) {
    await vscode.commands.executeCommand("trackdown.panel.focus");
    await panel.search({ text });
  }
}

function activate(context) {
  const panel = new Panel(context.extensionUri);
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider("trackdown.panel", panel),
    vscode.commands.registerCommand("trackdown.search", () => askAndSearch(panel)),
    vscode.commands.registerCommand("trackdown.findForIssue", () => findForIssue(panel)),
  );
}

module.exports = { activate };
