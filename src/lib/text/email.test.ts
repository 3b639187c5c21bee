import { expect, test } from "bun:test";
import { emailKey } from "./email.ts";

test.each([
  ["Ada@Acme.Example", "ada@acme.example"],
  ["\u00c9ve@acme.example", "\u00e9ve@acme.example"],
  // The lower case of the Kelvin sign is k, and that of a capital I with a dot begins with i.
  ["\u212aim@acme.example", "\u212aim@acme.example"],
  ["\u0130da@acme.example", "\u0130da@acme.example"],
])("the key of %s is %s", (email, key) => {
  expect(emailKey(email)).toBe(key);
});
