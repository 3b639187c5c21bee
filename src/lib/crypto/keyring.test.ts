import { expect, test } from "bun:test";
import { hash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { Keyring } from "./keyring.ts";

const old = Buffer.alloc(32, "old key");
const current = Buffer.alloc(32, "current key");
const purpose = "api-key";

test("any sealed value can be opened again", () => {
  const keyring = new Keyring([current]);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 600 }), (text) => {
      expect(keyring.open(keyring.seal(text, purpose), purpose)).toBe(text);
    }),
  );
});

test("a sealed value begins with the name of its key and does not contain the text", () => {
  const keyring = new Keyring([current]);
  const text = "tg_0123456789abcdef0123456789abcdef_7759b50e";
  const sealed = keyring.seal(text, purpose);
  expect(sealed.toString("hex", 0, 4)).toBe(hash("sha256", current, "hex").slice(0, 8));
  expect(keyring.names).toEqual([sealed.toString("hex", 0, 4)]);
  expect(sealed.toString("latin1")).not.toContain(text.slice(3, 12));
});

test("the same text is sealed differently each time", () => {
  const keyring = new Keyring([current]);
  const sealed = Array.from({ length: 2000 }, () => keyring.seal("text", purpose).toString("hex"));
  expect(new Set(sealed).size).toBe(sealed.length);
});

test("the first key seals, every key opens", () => {
  const before = new Keyring([old]).seal("made before", purpose);
  const rotated = new Keyring([current, old]);
  const after = rotated.seal("made after", purpose);
  expect(rotated.open(before, purpose)).toBe("made before");
  expect(new Keyring([current]).open(after, purpose)).toBe("made after");
  expect(() => new Keyring([old]).open(after, purpose)).toThrow(/encrypted with key [0-9a-f]{8}, which this server/);
});

test("a value sealed for one purpose does not open for another", () => {
  const keyring = new Keyring([current]);
  expect(() => keyring.open(keyring.seal("text", purpose), "idempotency")).toThrow();
});

test("a changed byte at any place, or a missing end, is detected", () => {
  const keyring = new Keyring([current]);
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (text, place, difference) => {
      const sealed = keyring.seal(text, purpose);
      const changed = Buffer.from(sealed);
      const at = place % sealed.length;
      changed[at] = changed[at]! ^ difference;
      expect(() => keyring.open(changed, purpose)).toThrow();
      expect(() => keyring.open(sealed.subarray(0, at), purpose)).toThrow();
    }),
  );
});

test("open accepts a view into a larger buffer, as database drivers return them", () => {
  const keyring = new Keyring([current]);
  const sealed = keyring.seal("text", purpose);
  const larger = new Uint8Array(Buffer.concat([randomBytes(7), sealed, randomBytes(7)]));
  expect(keyring.open(larger.subarray(7, 7 + sealed.length), purpose)).toBe("text");
});

test("a keyring without a key is rejected", () => {
  expect(() => new Keyring([])).toThrow("needs a key");
});
