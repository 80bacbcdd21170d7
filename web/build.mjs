// Bundles src/ into one script and one style sheet, and collects the licences of what is in them.
// node build.mjs [FOLDER]: the folder is src/thalweg/web/static unless told otherwise.

import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "../src/thalweg/web/static"));

mkdirSync(target, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.ts" },
  outdir: target,
  bundle: true,
  minify: true,
  charset: "ascii",
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  metafile: true,
});
await build({
  absWorkingDir: here,
  entryPoints: { app: "src/app.css" },
  outdir: target,
  bundle: true,
  minify: true,
  charset: "ascii",
});
for (const name of ["index.html", "icon.svg"]) copyFileSync(join(here, "src", name), join(target, name));
writeFileSync(join(target, "LICENSES.txt"), licences(bundled(metafile)));

/** The packages of which something is in the bundle. */
function bundled(metafile) {
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean);
  return [...new Set(names)].sort();
}

function licences(names) {
  const intro = "app.js contains code of these packages, each under its own licence.\n";
  return intro + names.map(licence).join("");
}

function licence(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = readFileSync(join(folder, file), "utf8").trim();
  return `\n${"=".repeat(80)}\n${name} ${version} (${license})\n${"=".repeat(80)}\n\n${text}\n`;
}
