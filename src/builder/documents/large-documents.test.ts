import { expect, test } from "bun:test";
import { validateProject } from "../project/validate.ts";
import { Findings } from "./findings.ts";
import { readDocument } from "./read-document.ts";

const head = `openapi: 3.1.0\ninfo: { title: Many, version: "1" }\nx-tollgate: { upstream: http://upstream.test }\npaths:\n`;
const paths = (count: number) => Array.from({ length: count }, (_, index) => `  /p${index}:\n    get: {}\n`).join("");

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

test("the time to parse YAML grows linearly with its size", async () => {
  const read = (count: number) => () => readDocument("openapi.yaml", Buffer.from(head + paths(count)), new Findings());
  await read(2_000)(); // compiled by now
  const small = await cpuSeconds(read(2_000));
  const large = await cpuSeconds(read(16_000));
  // Eight times the size; quadratic time would be 64 times as long.
  expect(large / small).toBeLessThan(24);
});

async function errorsOf(yaml: string) {
  const findings = new Findings();
  expect(await readDocument("openapi.yaml", Buffer.from(yaml), findings)).toBeUndefined();
  return findings.errors.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test("YAML that is too deep is rejected at the position where it gets too deep", async () => {
  const tooDeep = "is nested more than 100 levels deep";
  expect(await errorsOf(`x:\n  ${"- ".repeat(100_000)}1\n`)).toEqual([`2:203 ${tooDeep}`]);
  expect(await errorsOf(`x: ${"[".repeat(100_000)}`)).toEqual([`1:104 ${tooDeep}`]);
  expect(await errorsOf(`x: ${"{a: ".repeat(100_000)}`)).toEqual([`1:404 ${tooDeep}`]);
});

test("YAML with too many names and values is rejected at the position of the limit", async () => {
  const tooMany = "holds more than 500000 names and values";
  const most = 500_000;
  expect(await errorsOf(`[${"1,".repeat(most + 10)}]`)).toEqual([`1:${2 * most + 2} ${tooMany}`]);
}, 120_000);

test("a project has at most 10,000 routes", async () => {
  const findings = new Findings();
  const files = new Map([["openapi.yaml", Buffer.from(head + paths(10_001))]]);
  await validateProject({ files, unexpected: [] }, findings, { egress: "any" });
  expect(findings.errors).toEqual([
    { file: "openapi.yaml", line: 4, column: 1, message: expect.stringContaining("more than 10000 operations") },
  ]);
});
