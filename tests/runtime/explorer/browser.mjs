// Click through the page of the explorer in headless Chromium, and print what was found as JSON.
//
//     node browser.mjs ADDRESS CHROMIUM FOLDER QUESTIONS     in a folder with node_modules/playwright-core
//
// QUESTIONS is [[kind of the form, target, target beside it or ""], ...]. A screenshot of each goes to FOLDER.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";
import process from "node:process";

const require = createRequire(pathToFileURL(path.join(process.cwd(), "here.js")));
const { chromium } = require("playwright-core");
const [address, program, folder, questions] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
const errors = [];

async function opened(url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.on("pageerror", error => errors.push(error.message));
  page.on("console", said => { if (said.type() === "error") errors.push(said.text()); });
  page.on("dialog", dialog => { errors.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
  const start = performance.now();
  await page.goto(url);
  await page.waitForSelector("#state[data-shown]", { timeout: 120_000 });
  return { page, usable: performance.now() - start };
}

// Do something that asks for other kernels, and wait for the answers. Return the milliseconds.
async function answered(page, act) {
  const start = performance.now();
  await act();
  await page.waitForFunction(() => document.getElementById("state").dataset.shown === location.hash, { timeout: 60_000 });
  return performance.now() - start;
}

// What is shown of each kernel: texts and counts, and where its parts lie in the page.
async function shown(page) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.$$eval("img.picture", pictures => Promise.all(pictures.map(each => each.decode())));
  return page.$$eval(".kernel", described);
}

const described = kernels => kernels.map(kernel => {
  const box = each => { const { x, y, width, height } = each.getBoundingClientRect(); return { x, y, width, height }; };
  const text = name => kernel.querySelector(name)?.textContent ?? "";
  const picture = kernel.querySelector("img.picture");
  return {
    target: kernel.dataset.target,
    box: box(kernel),
    parts: Object.fromEntries([...kernel.querySelectorAll("[data-section]")].map(each => [each.dataset.section, box(each)])),
    error: text("pre.wrong"),
    prototype: text(".prototype"),
    plan: text("[data-section=plan] pre"),
    rejected: text("[data-section=rejected] pre").split("\n").filter(Boolean),
    picture: picture ? picture.naturalWidth : 0,
    bars: kernel.querySelectorAll(".registers rect").length,
    instructions: [...kernel.querySelectorAll(".listing td.text")].map(each => each.textContent),
    notes: [...kernel.querySelectorAll(".listing td.note")].filter(each => each.textContent).length,
    loops: [...kernel.querySelectorAll(".listing tr.total")].map(each => each.textContent),
    wide: document.documentElement.scrollWidth <= document.documentElement.clientWidth,
  };
});

// The number of colours inside each box of a screenshot, read back from its pixels.
async function colours(page, screenshot, boxes) {
  return page.evaluate(async ([data, boxes]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return boxes.map(({ x, y, width, height }) => {
      const high = Math.min(height, image.height - y);
      if (high < 1) return -1;
      const pixels = new Uint32Array(context.getImageData(x, y, width, high).data.buffer);
      return new Set(pixels).size;
    });
  }, [screenshot.toString("base64"), boxes]);
}

const { page, usable } = await opened(address);
const found = { usable, kernels: [] };
for (const [number, [kind, target, beside]] of JSON.parse(questions).entries()) {
  await page.selectOption("#target", target);
  await page.selectOption("#beside", beside);
  const took = await answered(page, () => page.selectOption("#kind", kind));
  await page.waitForTimeout(300);
  const line = await page.inputValue("#request");
  const screenshot = await page.screenshot({ path: path.join(folder, `${number}-${kind}.png`) });
  const kernels = await shown(page);
  const boxes = kernels.flatMap(each => Object.values(each.parts));
  found.kernels.push({ kind, line, took, kernels, colours: await colours(page, screenshot, boxes) });
}

// The form and the line say the same, in both directions.
await page.selectOption("#beside", "");
await answered(page, () => page.selectOption("#kind", "brgemm"));
await answered(page, () => page.fill("[data-field=m]", "24"));
await page.click("#more summary");
await answered(page, () => page.fill("[data-field=dtype]", "f64"));
found.written = await page.inputValue("#request");
await answered(page, () => page.fill("#request", "brgemm 12 6 64 --order F --beta 0"));
found.fields = await page.$$eval("[data-field]", fields => Object.fromEntries(fields.map(each => [each.dataset.field, each.value])));
found.fields.target = await page.inputValue("#target");

// A register that is pressed shows its instructions, and bytes are shown on demand.
await page.locator(".registers rect").first().click();
found.uses = await page.locator(".listing tr.uses").count();
const bytes = page.locator(".listing td.bytes").first();
found.bytes = [await bytes.isVisible()];
await page.check("#bytes");
found.bytes.push(await bytes.isVisible());

// Proofs and runs, where there are any.
if (await page.locator("[data-want=run]").isEnabled()) {
  await answered(page, () => page.fill("#request", "transpose 4 4"));
  for (const want of ["run", "proof"]) {
    await page.click(`[data-want=${want}]`);
    await page.waitForFunction(old => (document.querySelector(".results")?.textContent ?? "") !== old, found.run ?? "", { timeout: 60_000 });
    found[want] = await page.textContent(".results");
  }
  found.times = await page.$$eval(".listing td.times", cells => cells.map(each => Number(each.textContent)));
} else {
  found.refusal = await page.getAttribute("[data-want=run]", "title");
}

// A link holds everything; what a stranger puts into one is text.
await page.selectOption("#beside", "neon");
await answered(page, () => page.fill("#request", "fused softmax 8 64"));
const link = page.url(), before = await shown(page);
const second = await opened(link);
found.link = link;
found.linked = { here: before, there: await shown(second.page) };
const strange = "equation '<img src=x onerror=alert(1)>' 4 4";
const third = await opened(`${address}#request=${encodeURIComponent(strange)}&target=avx2&beside=${encodeURIComponent("<script>")}`);
found.strange = await third.page.textContent(".kernel pre.wrong");
found.injected = await third.page.locator("main img, main script").count();
found.errors = errors;
console.log(JSON.stringify(found));
await browser.close();
