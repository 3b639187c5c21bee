import { expect, test } from "bun:test";
import { Redaction } from "./redaction.ts";

function redactionOf(secrets: Record<string, string>): Redaction {
  const redaction = new Redaction();
  redaction.add(Object.entries(secrets));
  return redaction;
}

test.each([
  ["as it is", 'a sec"ret&value b', "a [S] b"],
  ["in JSON", JSON.stringify({ value: 'sec"ret&value' }), '{"value":"[S]"}'],
  ["in a URL", `/a?b=${encodeURIComponent('sec"ret&value')}`, "/a?b=[S]"],
  ["in base64", `Basic ${btoa('sec"ret&value')}`, "Basic [S]=="],
  ["several times", 'sec"ret&valuesec"ret&value', "[S][S]"],
  ["at the end of a cut line", 'before sec"ret&v… (cut)', "before [S]… (cut)"],
  ["not at all", "nothing to see", "nothing to see"],
])("a secret %s", (_, text, redacted) => {
  expect(redactionOf({ S: 'sec"ret&value' }).apply(text)).toBe(redacted);
});

test("each line of a secret with several", () => {
  const redaction = redactionOf({ KEY: "-----BEGIN KEY-----\nabcdefghijkl\nshort\n-----END KEY-----\n" });
  expect(redaction.apply("it has abcdefghijkl in it, and short")).toBe("it has [KEY] in it, and short");
});

test("a secret that contains another", () => {
  const redaction = redactionOf({ SHORT: "abcdefgh", LONG: "abcdefgh-and-more" });
  expect(redaction.apply("abcdefgh-and-more abcdefgh")).toBe("[LONG] [SHORT]");
});

test("what a secret was before", () => {
  const redaction = redactionOf({ S: "first-value" });
  redaction.add([["S", "second-value"]]);
  expect(redaction.apply("first-value second-value")).toBe("[S] [S]");
});
