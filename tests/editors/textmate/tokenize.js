// Reads {"text": [lines…]} from standard input; writes, for each line, [[piece, scope], …].
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const grammarPath = process.argv[2];
const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(readFileSync(grammarPath, "utf8"), grammarPath),
});
const grammar = await registry.loadGrammar("source.thalweg");
const texts = JSON.parse(readFileSync(0, "utf8"));
const read = texts.map((lines) => {
  let stack = textmate.INITIAL;
  return lines.map((line) => {
    const found = grammar.tokenizeLine(line, stack);
    stack = found.ruleStack;
    return found.tokens.map((token) => [line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
  });
});
process.stdout.write(JSON.stringify(read));
