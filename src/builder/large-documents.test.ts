import { expect, test } from "bun:test";
import { Findings } from "./findings.ts";
import { readDocument } from "./read-document.ts";
import { validateProject } from "./validate.ts";

const head = `openapi: 3.1.0\ninfo: { title: Many, version: "1" }\nx-tollgate: { upstream: http://upstream.test }\npaths:\n`;
const paths = (count: number) => Array.from({ length: count }, (_, index) => `  /p${index}:\n    get: {}\n`).join("");

async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}

test("the time to read YAML grows with its size, not with the square of it", async () => {
  const read = (count: number) => () => readDocument("openapi.yaml", Buffer.from(head + paths(count)), new Findings());
  await read(2_000)(); // compiled by now
  const small = await cpuSeconds(read(2_000));
  const large = await cpuSeconds(read(16_000));
  // Eight times as much; the square would be 64 times.
  expect(large / small).toBeLessThan(24);
});

test("a project has at most 10,000 routes", async () => {
  const findings = new Findings();
  const files = new Map([["openapi.yaml", Buffer.from(head + paths(10_001))]]);
  await validateProject({ files, unexpected: [] }, findings, { egress: "any" });
  expect(findings.errors).toEqual([
    { file: "openapi.yaml", line: 4, column: 1, message: expect.stringContaining("more than 10000 operations") },
  ]);
});
