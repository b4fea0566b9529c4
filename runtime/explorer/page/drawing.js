// The answer about a kernel as elements. Every text becomes a text node: what an answer holds is never read as HTML.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function folded(title, open, ...children) {
  return element("details", open ? { open: "" } : {}, element("summary", {}, title), ...children);
}

function section(name, open, title, ...children) {
  const made = folded(title, open, ...children);
  made.dataset.section = name;
  return made;
}

const COLOURS = ["#4a7fb5", "#d08a3c", "#5f9e6e", "#a66a9c", "#b5524a", "#7a7a7a", "#3f9a9a", "#8d7b3a"];
const TEXT = 330, WIDE = 480, HIGH = 17;

function drawn(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// A bar for each row of the register map, from its first offset to its last. `choose` is told the row that is pressed.
export function registers(answer, choose) {
  const rows = answer.registers, high = rows.length * HIGH + 4;
  const roles = [...new Set(rows.map(row => row.role))];
  const map = drawn("svg", { class: "registers", viewBox: `0 0 ${TEXT + WIDE} ${high}` });
  rows.forEach((row, at) => {
    const left = TEXT + WIDE * row.start / answer.bytes, width = Math.max(1.5, WIDE * (row.end - row.start) / answer.bytes);
    const named = `${row.role}: ${row.registers}`;
    const bar = drawn("rect", { x: left, y: at * HIGH + 3, width, height: HIGH - 4,
      fill: COLOURS[roles.indexOf(row.role) % COLOURS.length] });
    bar.append(drawn("title", {}, `${named}, ${row.start.toString(16)} to ${(row.end - 1).toString(16)}`));
    bar.addEventListener("click", () => choose(row));
    map.append(drawn("text", { x: 0, y: at * HIGH + 13 }, named.length > 52 ? `${named.slice(0, 51)}…` : named), bar);
  });
  const cursor = drawn("line", { y1: 0, y2: high, x1: -9, x2: -9 });
  map.append(cursor);
  map.point = offset => {
    const x = TEXT + WIDE * offset / answer.bytes;
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
  };
  return map;
}

// The numbers of vector registers that a text names: zmm0-zmm3, v8.
function numbers(text) {
  const found = new Set();
  for (const [, first, last] of text.matchAll(/[a-z]+(\d+)(?:-[a-z]+(\d+))?/g))
    for (let each = +first; each <= +(last ?? first); each++) found.add(each);
  return found;
}

function cells(answer, line) {
  const pipes = line.cycles.map(cycles => {
    const cell = element("td", { class: "number" }, cycles ? cycles.toFixed(2) : "");
    cell.style.background = `rgba(var(--heat), ${Math.min(cycles, 4) / 8})`;
    return cell;
  });
  return [
    element("td", { class: "number" }, line.at.toString(16)),
    ...pipes,
    element("td", { class: "times number hidden" }),
    element("td", { class: "bytes" }, line.bytes),
    element("td", { class: "text" }, line.text),
    element("td", { class: "note" }, line.note),
  ];
}

// The table of the listing. Its rows are kept by their offsets; `point` is told the offset under the mouse.
export function listing(answer, point) {
  const names = ["", ...answer.pipes, "times", "bytes", "instruction", ""];
  const heads = names.map(name => element("th", {}, name));
  heads[names.indexOf("times")].className = "times hidden";
  heads[names.indexOf("bytes")].className = "bytes";
  const table = element("table", { class: "listing" }, element("thead", {}, element("tr", {}, ...heads)));
  const body = table.appendChild(element("tbody")), wide = heads.length;
  table.rowsAt = new Map();
  for (const line of answer.listing) {
    if (line.at === undefined) {
      body.append(element("tr", { class: "label" }, element("td", { colspan: wide }, line.text)));
      continue;
    }
    const row = body.appendChild(element("tr", {}, ...cells(answer, line)));
    row.addEventListener("mouseenter", () => point(line.at));
    table.rowsAt.set(line.at, row);
    const loop = answer.loops.find(each => each.start <= line.at && line.at <= each.end);
    if (loop) row.classList.add("loop");
    if (loop?.end === line.at) body.append(element("tr", { class: "total" }, element("td", { colspan: wide }, loop.text)));
  }
  table.choose = chosen => {
    const wanted = numbers(chosen.registers);
    for (const [offset, row] of table.rowsAt) {
      const text = row.querySelector(".text").textContent;
      const named = [...text.matchAll(/\b(?:[xyzt]mm|[vqdshbzrx])(\d+)\b/g)].some(([, number]) => wanted.has(+number));
      row.classList.toggle("uses", named && chosen.start <= offset && offset < chosen.end);
    }
  };
  table.count = times => {
    for (const [offset, row] of table.rowsAt) row.querySelector(".times").textContent = times[offset] ?? "";
    for (const each of table.querySelectorAll(".times")) each.classList.remove("hidden");
  };
  return table;
}

function operands(run) {
  return run.operands.map(each => folded(
    `${each.name} ${each.dtype} ${each.shape.join(" x ")}`, "after" in each,
    element("pre", {}, "after" in each ? `before\n${each.before}\n\nafter\n${each.after}` : each.before)));
}

// Everything about one kernel. `ask` answers "proof" and "run"; without it, a text says why there is none.
export function kernel(answer, ask, refusal) {
  const results = element("div", { class: "results" });
  const buttons = [["verify", "proof"], ["run", "run"]].map(([name, want]) => {
    const button = element("button", { type: "button", "data-want": want }, name);
    if (refusal) {
      button.disabled = true;
      button.title = refusal;
    }
    button.addEventListener("click", async () => {
      button.disabled = true;
      const said = await ask(want);
      button.disabled = false;
      if (said.error) results.replaceChildren(element("pre", { class: "wrong" }, said.error));
      else if (want === "proof") results.replaceChildren(element("pre", { class: said.holds ? "" : "wrong" }, said.text));
      else {
        const classes = Object.entries(said.classes).map(([each, count]) => `${each} ${count}`).join(", ");
        results.replaceChildren(
          element("pre", { class: said.verdict.startsWith("WRONG") ? "wrong" : "" },
            `${said.verdict}\n${said.numbers}; ${said.steps} instructions: ${classes}`),
          ...operands(said));
        table.count(said.times);
      }
    });
    return button;
  });
  const map = registers(answer, row => table.choose(row));
  const table = listing(answer, offset => map.point(offset));
  const size = `${answer.bytes} bytes, ${answer.instructions} instructions, ${answer.flops} flops`;
  const picture = answer.picture
    ? [section("stages", true, "stages", element("img", { class: "picture", alt: "the stages of the plan",
        src: `data:image/svg+xml,${encodeURIComponent(answer.picture)}` }))] : [];
  const others = answer.rejected.length, ways = others === 1 ? "1 other way, rejected" : `${others} other ways, rejected`;
  return [
    element("header", {}, element("h2", {}, answer.target), element("span", {}, size), ...buttons),
    element("code", { class: "prototype" }, answer.prototype),
    results,
    section("plan", true, "plan", element("pre", {}, answer.plan)),
    section("rejected", false, ways, element("pre", {}, answer.rejected.join("\n"))),
    ...picture,
    section("registers", true, "registers", map),
    section("listing", true, "listing", element("p", {}, `${answer.processor}; cycles by pipe`), element("div", { class: "scroll" }, table)),
  ];
}
