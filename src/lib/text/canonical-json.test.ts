import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson } from "../../platform/jwt/jwt-keys.ts";

test("members are sorted, and undefined ones left out", () => {
  expect(canonicalJson({ b: [1, { z: null, a: "ä" }], a: undefined, 10: true, 2: 0.5 })).toBe(
    '{"10":true,"2":0.5,"b":[1,{"a":"ä","z":null}]}',
  );
});

test("parsing and serializing it again gives the same text", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
