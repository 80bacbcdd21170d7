// Starts the language server of Thalweg, and stops it with the editor.
const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("thalweg").get("command");
  const server = { command, args: ["language-server"], transport: TransportKind.stdio };
  const documents = [{ language: "thalweg" }, { pattern: "**/*.cql" }];
  client = new LanguageClient("thalweg", "Thalweg", { run: server, debug: server }, { documentSelector: documents });
  return client.start();
};

exports.deactivate = () => client?.stop();
