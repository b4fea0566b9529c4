// The page: a form, a line of words that says the same, and the answers for one target or for two.

import { backend } from "./backend.js";
import { element, kernel } from "./drawing.js";
import { read, written } from "./words.js";

const at = name => document.getElementById(name);
const PAUSE = 250;
let kinds = [], asked = 0, later = 0;

function say(text, wrong = false) {
  at("state").textContent = text;
  at("state").className = wrong ? "wrong" : "";
}

function options(select, names) {
  select.replaceChildren(...names.map(name => element("option", { value: name }, name || "none")));
}

function input(field, value) {
  let made;
  if (field.switch) {
    made = element("input", { type: "checkbox" });
    made.checked = Boolean(value);
  } else if (field.choices.length) {
    made = element("select");
    options(made, field.option ? ["", ...field.choices] : field.choices);
    made.value = value ?? field.default ?? "";
  } else {
    made = element("input", { placeholder: field.default });
    made.value = value ?? "";
  }
  made.dataset.field = field.name;
  made.title = field.help;
  return element("label", field.switch ? { class: "line" } : {}, field.option || field.name, " ", made);
}

// Show the line in the fields, if they can hold it.
function fill() {
  const found = read(at("request").value, kinds);
  for (const name of ["arguments", "options"]) at(name).replaceChildren();
  at("more").classList.toggle("hidden", !found);
  at("about").textContent = found ? found.kind.about : "this line is for the command line alone";
  if (!found) return;
  at("kind").value = found.kind.name;
  for (const field of found.kind.fields)
    at(field.option ? "options" : "arguments").append(input(field, found.values[field.name]));
}

// Write the line that the fields say.
function write() {
  const kind = kinds.find(each => each.name === at("kind").value), values = {};
  for (const each of document.querySelectorAll("[data-field]"))
    values[each.dataset.field] = each.type === "checkbox" ? each.checked : each.value.trim();
  at("request").value = written(kind, values);
}

function keep() {
  const state = new URLSearchParams({ request: at("request").value, target: at("target").value });
  if (at("beside").value) state.set("beside", at("beside").value);
  history.replaceState(null, "", `#${state}`);
}

// Take the state of the address. What it does not name stays as it is.
function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const name of ["request", "target", "beside"]) if (state.has(name)) at(name).value = state.get(name);
  fill();
}

async function question(target, want) {
  const said = { request: at("request").value, target, want };
  try {
    return await backend.ask(said);
  } catch (error) {
    return { error: `no answer: ${error.message}` };
  }
}

async function show() {
  const mine = ++asked, targets = [at("target").value, at("beside").value].filter(Boolean);
  const start = performance.now(), address = location.hash;
  for (const each of at("kernels").children) each.classList.add("stale");
  say("planning");
  const answers = await Promise.all(targets.map(target => question(target, "kernel")));
  if (mine !== asked) return;
  at("kernels").replaceChildren(...answers.map((answer, number) => {
    const target = targets[number];
    const parts = answer.error
      ? [element("header", {}, element("h2", {}, target)), element("pre", { class: "wrong" }, answer.error)]
      : kernel(answer, want => question(target, want), backend.refusal);
    return element("section", { class: "kernel", "data-target": target }, ...parts);
  }));
  bytes();
  const wrong = answers.some(answer => answer.error);
  say(wrong ? "this request cannot be met" : `answered in ${Math.round(performance.now() - start)} ms`, wrong);
  at("state").dataset.shown = address;
}

function soon() {
  keep();
  clearTimeout(later);
  later = setTimeout(show, PAUSE);
}

function bytes() {
  for (const each of document.querySelectorAll(".listing .bytes")) each.classList.toggle("hidden", !at("bytes").checked);
}

async function begin() {
  try {
    const form = await backend.begin(say);
    kinds = form.kinds;
    options(at("kind"), kinds.map(each => each.name));
    options(at("target"), form.targets);
    options(at("beside"), ["", ...form.targets]);
  } catch (error) {
    say(`the explorer cannot start: ${error.message}`, true);
    return;
  }
  at("target").value = "avx512";
  at("request").value = kinds[0].example;
  restore();
  at("form").addEventListener("submit", event => event.preventDefault());
  at("kind").addEventListener("change", () => {
    at("request").value = kinds.find(each => each.name === at("kind").value).example;
    fill();
    soon();
  });
  for (const name of ["arguments", "options"]) at(name).addEventListener("input", () => { write(); soon(); });
  at("request").addEventListener("input", () => { fill(); soon(); });
  for (const name of ["target", "beside"]) at(name).addEventListener("change", soon);
  at("bytes").addEventListener("change", bytes);
  window.addEventListener("hashchange", () => { restore(); soon(); });
  keep();
  await show();
}

begin();
