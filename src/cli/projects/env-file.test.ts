import { expect, test } from "bun:test";
import { parseEnvFile } from "./env-file.ts";

test("variables have their line numbers, also after a multi-line value", () => {
  const text = "# mine\n\nREGION=eu-west-1\nexport CERT=\"one\ntwo\nthree\"\r\nTOKEN='a token' # of me\nEMPTY=\n";
  expect([...parseEnvFile(text)].map(([name, { value, line }]) => [name, value, line])).toEqual([
    ["REGION", "eu-west-1", 3],
    ["CERT", "one\ntwo\nthree", 4],
    ["TOKEN", "a token", 7],
    ["EMPTY", "", 8],
  ]);
});

test.each([
  ["A=1\nTOKEN my-secret\n", ".env.tollgate:2: TOKEN must be written NAME=value"],
  ["\nTOKEN: my-secret", ".env.tollgate:2: TOKEN must be written NAME=value"],
  ["=x", ".env.tollgate:1: the line must be written NAME=value"],
])("%j is rejected with its line, and without its value", (text, message) => {
  expect(() => parseEnvFile(text)).toThrow(new Error(message));
});
