import { expect, test } from "bun:test";
import fc from "fast-check";
import { generateSecret } from "../../../lib/crypto/secret-text.ts";
import { keyError, visibleSuffix } from "./value.ts";

const visibleCharacter = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

test.each([
  ["15 characters", "x".repeat(15), false],
  ["16 characters", "x".repeat(16), true],
  ["512 characters", "x".repeat(512), true],
  ["513 characters", "x".repeat(513), false],
  [
    "every visible ASCII character",
    String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index)),
    true,
  ],
  ["a space inside", "a key with spaces", false],
  ["a space at the end", "a-key-that-ends-in ", false],
  ["a line break", "a-key-with-a\nline-break", false],
  ["a line break at the end", "a-key-with-an-end\n", false],
  ["a tab", "a-key-with-a\ttab", false],
  ["a letter that is not ASCII", "a-key-with-an-ü-in-it", false],
  ["an emoji", "a-key-with-an-🔑-in-it", false],
  ["a DEL", "a-key-with-a-\u007f-in-it", false],
  ["the generated shape with its checksum", "tg_0123456789abcdef0123456789abcdef_7759b50e", true],
  ["the generated shape with another checksum", "tg_0123456789abcdef0123456789abcdef_7759b50f", true],
  ["the generated shape with another prefix", "my_own-prefix_0123456789abcdef0123456789abcdef_7759b50e", true],
  ["almost the generated shape, in capitals", "tg_0123456789ABCDEF0123456789ABCDEF_7759B50F", true],
  ["almost the generated shape, a digit short", "tg_0123456789abcdef0123456789abcde_7759b50f", true],
])("%s", (_name, value, isValid) => {
  expect(keyError(value) === undefined).toBe(isValid);
});

test("every generated key is valid", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9_-]{1,32}$/), (prefix) => {
      expect(keyError(generateSecret(prefix))).toBeUndefined();
    }),
  );
});

test("a masked key shows its end, at most 8 characters and at most a quarter", () => {
  fc.assert(
    fc.property(fc.string({ unit: visibleCharacter, minLength: 16, maxLength: 512 }), (key) => {
      const suffix = visibleSuffix(key);
      expect(key.endsWith(suffix)).toBe(true);
      expect(suffix.length).toBe(Math.min(8, Math.floor(key.length / 4)));
      expect(suffix.length).toBeGreaterThanOrEqual(4);
    }),
  );
});
