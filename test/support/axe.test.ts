import { afterAll, beforeAll, expect, test } from "bun:test";
import { runAxe } from "./axe.ts";
import { type OpenPage, openPage } from "./chromium.ts";

let opened: OpenPage;
beforeAll(async () => {
  opened = await openPage("about:blank");
});
afterAll(() => opened.close());

/** The texts whose contrast is too low. */
async function findings(body: string): Promise<string[]> {
  const head = `<title>Texts</title><style>body { color: #222; background: #fff } .grey { color: #bbb }</style>`;
  await opened.page.setContent(
    `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>Texts</h1>${body}</main></body></html>`,
  );
  const violations = await runAxe(opened.page);
  return violations.filter(({ id }) => id === "color-contrast").flatMap(({ places }) => places);
}

test("a text with low contrast is found, after and before texts that were accepted", async () => {
  expect(await findings("<p>Dark on white.</p>")).toEqual([]);
  expect(await findings(`<p>Dark on white.</p><p class="grey">Grey on white.</p>`)).toEqual([".grey"]);
  expect(await findings(`<p class="grey">Grey on white.</p><p>Dark on white.</p>`)).toEqual([".grey"]);
});

test("an accepted colour is checked on each background", async () => {
  expect(
    await findings(`<p>Dark on white.</p><div style="background: #444"><p id="dark">Dark on grey.</p></div>`),
  ).toEqual(["#dark"]);
  expect(await findings(`<div style="opacity: 0.4"><p id="faded">Faded text.</p></div>`)).toEqual(["#faded"]);
  const shade = `<div style="position: absolute; top: 100px; left: 0; width: 300px; height: 60px; background: #444"></div>`;
  const over = `<div style="position: absolute; top: 110px; left: 10px"><p id="over">Dark on a box of another element.</p></div>`;
  expect(await findings(`<p>Dark on white.</p>${shade}${over}`)).toEqual(["#over"]);
});

test("a small text is checked although a large one with its colour was accepted", async () => {
  const style = "color: #888";
  expect(await findings(`<p style="${style}; font-size: 40px">Large and grey.</p>`)).toEqual([]);
  expect(await findings(`<p id="small" style="${style}; font-size: 12px">Small and grey.</p>`)).toEqual(["#small"]);
});

test("a text with the look of a disabled one before it is checked", async () => {
  const control = (id: string, more = "") =>
    `<button id="${id}" ${more} style="color: #ccc; background: #fff; border: 0; font: 14px serif">Save it</button>`;
  expect(await findings(control("first", "disabled"))).toEqual([]);
  expect(await findings(control("first", "disabled") + control("second"))).toEqual(["#second"]);
});

test("all texts with a look are checked on a page with many, if the first is disabled", async () => {
  const style = "color: #cbcbcb; background: #fff; border: 0; font: 14px serif";
  const many = Array.from(
    { length: 50 },
    (_, index) => `<p style="font-size: ${20 + index}px">Dark on white.</p>`,
  ).join("");
  const controls = `<button disabled style="${style}">Save it</button><button id="enabled" style="${style}">Save it</button>`;
  expect(await findings(many + controls)).toEqual(["#enabled"]);
});

test("a link without an underline is found in a text, although its look was accepted outside of one", async () => {
  const link = `<a href="/" style="color: #22f; text-decoration: none">the link</a>`;
  const ids = async (body: string) => {
    await findings(body);
    return (await runAxe(opened.page, "colours")).map(({ id }) => id);
  };
  expect(await ids(`<p style="color: #22a">Blue on white.</p>${link}`)).toEqual([]);
  const inText = `<p style="color: #22a">A blue text around ${link}, which is as blue.</p>`;
  expect(await ids(inText)).toEqual(["link-in-text-block"]);
  expect(await ids(inText)).toEqual(["link-in-text-block"]);
  expect(await ids(inText.replace("none", "underline"))).toEqual([]);
});

test("the rules of colours find what another theme makes unreadable", async () => {
  expect(await findings(`<p id="faint">Dark on white.</p>`)).toEqual([]);
  await opened.page.evaluate(`document.getElementById("faint").style.color = "#ccc"`);
  expect(await runAxe(opened.page, "colours")).toEqual([{ id: "color-contrast", places: ["#faint"] }]);
});

test("other rules are applied", async () => {
  await findings(`<img src="data:,">`);
  expect((await runAxe(opened.page)).map(({ id }) => id)).toEqual(["image-alt"]);
  expect(await runAxe(opened.page, "colours")).toEqual([]);
});
