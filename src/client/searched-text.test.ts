import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { searchedText } from "./searched-text.ts";

test.each([
  "tg_0123456789abcdef0123456789abcdef_50079e96",
  "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
  "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA==",
])("the key %s is not sent, only its hash", async (key) => {
  expect(await searchedText(key)).toBe(`sha256:${createHash("sha256").update(key).digest("hex")}`);
});

test.each([
  "Northwind Traders",
  "50079e96",
  "csmr_0QGzNqW81Kx8VhTb3mPcRdZu",
  "customer-of-the-international-branch",
  "internationalisierungsbehoerde",
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  "INV-000017",
])("%s is sent as it is", async (text) => {
  expect(await searchedText(text)).toBe(text);
});
