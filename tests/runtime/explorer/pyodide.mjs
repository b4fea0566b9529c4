// Ask the explorer in Pyodide, under node, and print its answers and how many milliseconds of the processor they took as JSON.
//
//     node pyodide.mjs FOLDER < questions.json       in a folder with node_modules/pyodide; FOLDER as docs/site writes it

import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(path.join(process.cwd(), "here.js")));
const folder = process.argv[2];
const { loadPyodide } = await import(pathToFileURL(require.resolve("pyodide/pyodide.mjs")));
const script = fs.readFileSync(path.join(folder, "python.js"), "utf8");
const { tilesmith } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
const questions = JSON.parse(fs.readFileSync(0, "utf8"));
const busy = () => (({ user, system }) => (user + system) / 1000)(process.cpuUsage());
const start = performance.now();
const sources = new Uint8Array(fs.readFileSync(path.join(folder, "tilesmith.zip"))).buffer;
const { form, answer } = await tilesmith(loadPyodide, sources);
const cold = performance.now() - start, cold_busy = busy();
const answers = [], took = [];
for (const question of questions) {
  const begin = busy();
  answers.push(JSON.parse(answer(JSON.stringify(question))));
  took.push(busy() - begin);
}
console.log(JSON.stringify({ form: JSON.parse(form), answers, took, cold, cold_busy }));
