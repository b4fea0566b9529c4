// Tilesmith in an interpreter of Pyodide: the text of the form, and the function that answers questions. Kernels are
// kept nowhere: there is no disk. Modules are read from the archive when they are imported: unpacking all takes longer.

const START = `
import json, os, sys
sys.path.insert(0, "/tilesmith.zip")
sys.dont_write_bytecode = True
os.environ["TILESMITH_CACHE"] = "off"
from tilesmith.runtime.explorer import answers, form
json.dumps(form.form())
`;

export async function tilesmith(loadPyodide, sources, options = {}) {
  const python = await loadPyodide(options);
  python.FS.writeFile("/tilesmith.zip", new Uint8Array(sources));
  return { form: python.runPython(START), answer: python.runPython("answers.answer") };
}
