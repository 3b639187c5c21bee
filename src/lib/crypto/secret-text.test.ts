import { expect, test } from "bun:test";
import fc from "fast-check";
import { checksumHolds, generateSecret } from "./secret-text.ts";

const prefixes = fc.stringMatching(/^[a-z0-9_-]{1,32}$/);

test("a generated secret has the documented format and a valid checksum", () => {
  fc.assert(
    fc.property(prefixes, (prefix) => {
      const secret = generateSecret(prefix);
      expect(secret).toMatch(/_[0-9a-f]{32}_[0-9a-f]{8}$/);
      expect(secret.startsWith(`${prefix}_`)).toBe(true);
      expect(checksumHolds(secret)).toBe(true);
    }),
  );
});

test("one changed digit breaks the checksum", () => {
  fc.assert(
    fc.property(prefixes, fc.nat(31), fc.integer({ min: 1, max: 15 }), (prefix, place, step) => {
      const secret = generateSecret(prefix);
      const at = prefix.length + 1 + place;
      const changed = ((Number.parseInt(secret[at]!, 16) + step) % 16).toString(16);
      expect(checksumHolds(secret.slice(0, at) + changed + secret.slice(at + 1))).toBe(false);
    }),
  );
});

test("the checksum is the standard CRC-32", () => {
  // crc32("0123456789abcdef0123456789abcdef"), from zlib
  const known = Buffer.alloc(4);
  known.writeUInt32BE(require("node:zlib").crc32("0123456789abcdef0123456789abcdef"));
  expect(checksumHolds(`tg_0123456789abcdef0123456789abcdef_${known.toString("hex")}`)).toBe(true);
});

test("a text in another format has no checksum to verify", () => {
  for (const text of ["a-key-of-my-own-making", "tg_short_00000000", `tg_${"g".repeat(32)}_00000000`])
    expect(checksumHolds(text)).toBe(true);
});
