import { expect, test } from "bun:test";
import { readOnce } from "./read-once.ts";

test("it reads once per key, and again after an error", async () => {
  const promises = new Map<string, Promise<string>>();
  const reads: string[] = [];
  const read = (key: string, error?: Error) =>
    readOnce(promises, key, async () => {
      reads.push(key);
      if (error) throw error;
      return `${key}!`;
    });
  const failing = [read("a", new Error("too many open files")), read("a")];
  for (const promise of failing) await expect(promise).rejects.toThrow("too many open files");
  expect(await Promise.all([read("a"), read("a"), read("b")])).toEqual(["a!", "a!", "b!"]);
  expect(reads).toEqual(["a", "a", "b"]);
});
