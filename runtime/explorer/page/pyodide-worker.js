// Python in a worker, which answers one question after the other.

import { tilesmith } from "./python.js";
import { settings } from "./settings.js";

async function start() {
  postMessage({ progress: "loading Python and Tilesmith" });
  const [response, { loadPyodide }] = await Promise.all([
    fetch(new URL("./tilesmith.zip", import.meta.url)),
    import(new URL("pyodide.mjs", new URL(settings.pyodide, import.meta.url))),
  ]);
  if (!response.ok) throw new Error(`tilesmith.zip: ${response.status}`);
  return tilesmith(loadPyodide, await response.arrayBuffer());
}

const started = start();

onmessage = async ({ data }) => {
  try {
    const { form, answer } = await started;
    postMessage({ number: data.number, text: data.form ? form : answer(data.question) });
  } catch (error) {
    postMessage({ number: data.number, fault: String(error.message ?? error).slice(-2000) });
  }
};
