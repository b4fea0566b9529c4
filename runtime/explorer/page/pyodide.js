// Answers by Tilesmith in this browser: the static page has this file as backend.js. A worker runs Python, so that the
// page stays alive, and a question that takes too long ends the worker and not the page.

const LONGEST = 20_000, PROOFS = "a proof and a run need numpy: `tilesmith explore` serves this page with both";
let worker = null, next = 0, waiting = new Map(), ready = null, warmed = false, tell = () => {};

// The tables of an architecture take a second or two when they are first used: that is before somebody waits for them.
const FIRST = ["avx512", "neon"].map(target => ({ request: "brgemm 1 1 1", target, want: "kernel" }));

function warm() {
  for (const question of FIRST) post({ question: JSON.stringify(question) }, LONGEST).catch(() => {});
}

function fail(reason) {
  worker?.terminate();
  worker = null;
  warmed = false;
  for (const { reject } of waiting.values()) reject(new Error(reason));
  waiting.clear();
}

function started() {
  const made = new Worker(new URL("./pyodide-worker.js", import.meta.url), { type: "module" });
  made.onmessage = ({ data }) => {
    if (data.progress) tell(data.progress);
    else if (data.fault) waiting.get(data.number)?.reject(new Error(data.fault));
    else waiting.get(data.number)?.resolve(JSON.parse(data.text));
    if (!data.progress) waiting.delete(data.number);
  };
  made.onerror = event => fail(event.message || "the worker cannot start");
  return made;
}

function post(what, milliseconds) {
  worker ??= started();
  const number = ++next;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(`no answer within ${milliseconds / 1000} seconds; smaller extents take less time`), milliseconds);
    const done = settle => value => { clearTimeout(timer); settle(value); };
    waiting.set(number, { resolve: done(resolve), reject: done(reject) });
    worker.postMessage({ number, ...what });
  });
}

export const backend = {
  refusal: PROOFS,
  begin: report => {
    tell = report;
    return ready = post({ form: true }, 120_000);
  },
  ask: async question => {
    await ready;
    if (worker === null) await (ready = post({ form: true }, 120_000));
    const answer = await post({ question: JSON.stringify(question) }, LONGEST);
    if (!warmed) setTimeout(warm, 100);
    warmed = true;
    return answer;
  },
};
