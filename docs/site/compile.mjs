// Compile modules by the interpreter that the page of the explorer loads.
//
//     node compile.mjs PYODIDE FOLDER < names.json     PYODIDE: the npm package; names: of modules in the folder
//
// Each module becomes a file of bytecode beside it, as Python finds it without a source; docstrings are left out.

import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [package_, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(path.resolve(package_), "pyodide.mjs")));
const python = await loadPyodide();
python.mountNodeFS("/sources", path.resolve(folder));
python.globals.set("names", python.toPy(JSON.parse(fs.readFileSync(0, "utf8"))));
python.runPython(`
import py_compile
for name in names:
    py_compile.compile(f"/sources/{name}", f"/sources/{name}c", name, doraise=True, optimize=2,
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
`);
