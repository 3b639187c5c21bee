import { expect, test } from "bun:test";
import fc from "fast-check";
import { etagOf, matchesRevision, matchesTag } from "./etag.ts";

const revision = { id: "key_1", version: 3 };
const ids = fc.stringMatching(/^[a-z]{3,4}_[0-9A-Za-z]{24}$/);
const versions = fc.nat(1000);

test("an ETag is a quoted text that names the resource and its version", () => {
  expect(etagOf(revision)).toBe('"key_1.3"');
  expect(etagOf(revision, "abc")).toBe('"key_1.3~abc"');
});

test("If-Match matches only the revision that it names", () => {
  fc.assert(
    fc.property(ids, versions, ids, versions, (id, version, otherId, otherVersion) => {
      const header = etagOf({ id, version });
      expect(matchesRevision(header, { id, version })).toBe(true);
      expect(matchesRevision(header, { id: otherId, version: otherVersion })).toBe(
        id === otherId && version === otherVersion,
      );
    }),
  );
});

test.each([
  ['"key_1.3"', true],
  ["*", true],
  ['"key_1.2", "key_1.3"', true],
  ['"key_1.2" ,"key_1.3"', true],
  ['"key_1.3~abc"', true],
  ['"key_1.2"', false],
  ['"key_1.33"', false],
  ['"key_2.3"', false],
  // If-Match compares strongly: a weak tag never matches.
  ['W/"key_1.3"', false],
  ["key_1.3", false],
  ["", false],
])("If-Match: %s is %p", (header, holds) => {
  expect(matchesRevision(header, revision)).toBe(holds);
});

test.each([
  ['"key_1.3"', true],
  ['W/"key_1.3"', true],
  ["*", true],
  ['"other", W/"key_1.3"', true],
  ['"key_1.3~abc"', false],
  ['"key_1.2"', false],
  ["", false],
])("If-None-Match: %s is %p", (header, matches) => {
  expect(matchesTag(header, etagOf(revision))).toBe(matches);
});
