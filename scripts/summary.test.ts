import { expect, test } from "bun:test";
import { failedFiles, failures, tally } from "./summary.ts";

const ending = (...counts: string[]) =>
  `a.test.ts:\n(pass) ok\n\n ${counts.join("\n ")}\nRan 9 tests across 2 files. [4.00ms]\n`;

test("a good run", () => {
  expect(tally(ending("9 pass", "0 fail", "31 expect() calls"), 0)).toEqual({ passed: 9, failed: 0 });
});

test("colours do not matter", () => {
  expect(tally("\x1b[32m 9 pass\x1b[0m\n\x1b[2m 0 fail\x1b[0m\nRan 9 tests across 1 file. [4ms]", 0).passed).toBe(9);
});

test("failures count", () => {
  expect(tally(ending("7 pass", "2 fail"), 1)).toEqual({ passed: 7, failed: 2 });
});

test("skipped tests count as failed, filtered ones do not count", () => {
  expect(tally(ending("5 pass", "3 skip", "1 todo", "0 fail"), 0)).toEqual({ passed: 5, failed: 4 });
  expect(tally(ending("5 pass", "4 filtered out", "0 fail"), 0)).toEqual({ passed: 5, failed: 0 });
});

test("a run that ends in the middle has failed, whatever its exit code", () => {
  expect(tally("a.test.ts:\n(pass) ok\n", 0)).toEqual({ passed: 0, failed: 1 });
  expect(tally("a.test.ts:\n(pass) ok\n", 137)).toEqual({ passed: 0, failed: 1 });
});

test("a failure exit code is a failure", () => {
  expect(tally(ending("9 pass", "0 fail"), 1)).toEqual({ passed: 9, failed: 1 });
});

test("a run without tests is a failure", () => {
  expect(tally(ending("0 pass", "0 fail"), 0)).toEqual({ passed: 0, failed: 1 });
});

test("failures are extracted with their output", () => {
  const printed = [
    "a.test.ts:",
    "(pass) first [1ms]",
    "error: expected 1",
    "  at a.test.ts:3",
    "\x1b[31m(fail)\x1b[0m second [2ms]",
    "(pass) third [1ms]",
    "",
    "b.test.ts:",
    "(pass) fourth [1ms]",
    "",
    "1 tests failed:",
    "(fail) second [2ms]",
  ].join("\n");
  expect(failures(printed)).toEqual(["a.test.ts:\nerror: expected 1\n  at a.test.ts:3\n(fail) second [2ms]"]);
  expect(failures(ending("9 pass", "0 fail"))).toEqual([]);
  expect(failedFiles(`${printed.replace("(pass) third", "(fail) third")}`)).toEqual(["a.test.ts"]);
});
