import { expect, test } from "bun:test";
import type { ProviderOperation } from "../../../core/artifact/models-schema.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { readRequest } from "./read-request.ts";

const options = { allowStored: false, clampOutput: false, retryIfSent: false, unmetered: true };
const megabyte = 1024 * 1024;
const largest = 32 * megabyte;

interface Reading {
  steps: number;
  problem: string | undefined;
  reserved: number;
}

function read(operation: ProviderOperation, bytes: Buffer, checkModel = (_: string) => {}): Reading {
  const reading: Reading = { steps: 0, problem: undefined, reserved: 0 };
  const reserve = (count: number) => {
    reading.reserved += count;
  };
  const steps = readRequest(bytes, operation, options, { checkModel, reserve });
  for (let isDone = false; !isDone; ) {
    reading.steps += 1;
    try {
      isDone = steps.next().done === true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      reading.problem = error.detail;
      isDone = true;
    }
  }
  return reading;
}

/** A body of about a length, whose member has the content `unit` as often as it fits. */
function bodyOf(begin: string, unit: (index: number) => string, end: string, length = largest): Buffer {
  const parts: string[] = [];
  let size = begin.length + end.length;
  for (let index = 0; ; index++) {
    const part = (index === 0 ? "" : ",") + unit(index);
    size += Buffer.byteLength(part);
    if (size > length) break;
    parts.push(part);
  }
  return Buffer.from(begin + parts.join("") + end);
}

const object = (size: number) => {
  const members = Array.from({ length: size }, (_, index) => `"${index.toString(36)}":0`);
  return `{${members.join(",")}}`;
};
const chat = '{"model":"small","messages":[';

const bodies: [name: string, operation: ProviderOperation, body: () => Buffer, problem?: string][] = [
  ["one text", "chat/completions", () => Buffer.from(`${chat}{"role":"user","content":"${"x".repeat(largest)}"}]}`)],
  [
    "one text of escapes",
    "chat/completions",
    () => Buffer.from(`${chat}{"role":"user","content":"${"\\u0061\\n".repeat(largest / 8)}"}]}`),
  ],
  ["a long type", "chat/completions", () => Buffer.from(`${chat}{"role":"user","type":"${"x".repeat(largest)}"}]}`)],
  ["a long model", "chat/completions", () => Buffer.from(`{"model":"${"x".repeat(largest)}"}`)],
  [
    "messages",
    "chat/completions",
    () => bodyOf(chat, () => '{"role":"user","content":"Hi"}', "]}"),
    "more than 100000 values",
  ],
  ["large messages", "messages", () => bodyOf(chat, () => `{"role":"user","content":"${"x".repeat(2000)}"}`, "]}")],
  [
    "as many messages as may be",
    "messages",
    () => bodyOf(chat, () => '{"role":"user","content":[{"type":"text"}]}', "]}", 850_000),
  ],
  [
    "names",
    "chat/completions",
    () => bodyOf('{"model":"small","messages":{', (index) => `"n${index}":0`, "}}", 2.2 * megabyte),
    "more than 1000 members",
  ],
  [
    "names of the body",
    "chat/completions",
    () => bodyOf('{"model":"small",', (index) => `"n${index}":0`, "}", 2.2 * megabyte),
    "more than 1000 members",
  ],
  [
    "names that are free",
    "chat/completions",
    () => bodyOf('{"model":"small","metadata":{', (index) => `"n${index}":0`, "}}", 4 * megabyte),
  ],
  [
    "objects with many names",
    "chat/completions",
    () => bodyOf(chat, () => object(1000), "]}"),
    "more than 100000 values",
  ],
  ["a name", "chat/completions", () => Buffer.from(`{"${"n".repeat(largest)}":0}`), "a name of more than 4096 bytes"],
  [
    "empty objects",
    "responses",
    () => bodyOf('{"model":"small","input":[', () => "{}", "]}", 4 * megabyte),
    "more than 100000 values",
  ],
  ["items", "responses", () => bodyOf('{"model":"small","input":[', () => '{"type":"x","id":"y"}', "]}", 600_000)],
  ["levels", "chat/completions", () => Buffer.from(`${chat}${"[".repeat(largest)}`), "more than 200 levels"],
  [
    "levels again and again",
    "chat/completions",
    () => bodyOf(chat, () => "[".repeat(150) + "]".repeat(150), "]}"),
    "more than 100000 values",
  ],
  [
    "tools",
    "chat/completions",
    () => bodyOf('{"model":"small","tools":[', () => '{"type":"x"}', "]}", 500_000),
    "at most 1000 tools",
  ],
  ["blanks", "chat/completions", () => Buffer.from(`${" ".repeat(largest)}{}`), "more than 4096 blanks"],
  [
    "a number",
    "embeddings",
    () => Buffer.from(`{"model":"embed","input":[${"1".repeat(largest)}]}`),
    "a number of more than 4096 digits",
  ],
  ["numbers", "embeddings", () => bodyOf('{"model":"embed","input":[', (index) => String(index), "]}", 4 * megabyte)],
];

test.each(bodies.map(([name, operation, body, problem = ""]) => [name, operation, body, problem] as const))(
  "a body with %s is read in short steps, or rejected",
  (_, operation, body, problem) => {
    const bytes = body();
    expect(bytes.length).toBeLessThanOrEqual(largest + 100);
    const reading = read(operation, bytes);
    if (problem !== "") return expect(reading.problem).toContain(problem);
    expect(reading.problem).toBeUndefined();
    // The bytes of a step, and of the token that it ends with.
    expect(bytes.length / reading.steps).toBeLessThan(80 * 1024);
  },
);

test("the alias is looked up before what follows it is read, and memory is reserved for what is kept", () => {
  const unknown = new Problem("model_not_found");
  const messages = `[${'{"role":"user"},'.repeat(40_000)}{}]`;
  const found: string[] = [];
  const checkModel = (name: string) => {
    found.push(name);
    if (name === "unknown") throw unknown;
  };
  const readBody = (text: string) => read("chat/completions", Buffer.from(text), checkModel);
  const before = readBody(`{"model":"unknown","messages":${messages}`);
  expect(before).toMatchObject({ problem: unknown.detail, reserved: 0 });
  expect(readBody(`{"model":"small","messages":${messages}}`)).toMatchObject({ problem: undefined });
  expect(readBody(`{"messages":${messages},"model":"unknown"}`).problem).toBe(unknown.detail);
  expect(found).toEqual(["unknown", "small", "unknown"]);
  expect(readBody(`{"model":"small","messages":${messages}}`).reserved).toBeGreaterThan(80_000 * 100);
});
