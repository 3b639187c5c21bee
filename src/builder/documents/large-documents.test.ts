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
  const tooMany = "contains more than 500000 names and values";
  const max = 500_000;
  // The list is one of them.
  expect(await errorsOf(`[${"1,".repeat(max + 10)}]`)).toEqual([`1:${2 * max} ${tooMany}`]);
});

test("YAML with too many paths is rejected at the first path too many, and not read any further", async () => {
  const tooMany = "has more than 10000 paths: a project has at most that many routes";
  // An error after it would be found if the rest was read.
  const rest = `${paths(50_000)}"`;
  expect(await errorsOf(head + rest)).toEqual([`20005:10 ${tooMany}`]);
  const names = Array.from({ length: 10_001 }, (_, index) => `/p${index}`);
  const flow = `{"paths":{${names.join(":{},")}:{}}}`;
  expect(await errorsOf(flow)).toEqual([`1:${flow.lastIndexOf(":") + 1} ${tooMany}`]);
  const quoted = paths(10_001).replaceAll(/\/p\d+/g, "'$&'");
  expect(await errorsOf(`${head.replace("paths", "'paths'")}${quoted}`)).toEqual([`20005:12 ${tooMany}`]);
});

test("names that begin with a slash count as paths in the member paths alone", async () => {
  const findings = new Findings();
  const text = `${head}${paths(10)}x-other:\n${paths(6_000)}components:\n  paths:\n  ${paths(5_000).replaceAll("\n", "\n  ")}`;
  expect(await readDocument("openapi.yaml", Buffer.from(text), findings)).toBeDefined();
  expect(findings.errors).toEqual([]);
});

test("a JSON document with too many paths is rejected whether or not they have operations", async () => {
  const findings = new Findings();
  const document = {
    openapi: "3.1.0",
    info: { title: "Many", version: "1" },
    paths: Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`/p${index}`, {}])),
  };
  const files = new Map([["openapi.json", Buffer.from(JSON.stringify(document))]]);
  await validateProject(
    { files, documents: new Map(), docs: new Map(), dropped: new Set(), unexpected: [] },
    findings,
    {
      egress: "any",
    },
  );
  expect(findings.errors).toMatchObject([{ message: expect.stringContaining("has more than 10000 paths") }]);
});

test("a project has at most 10,000 routes", async () => {
  const findings = new Findings();
  const both = paths(5_001).replaceAll("get: {}", "$&\n    put: {}");
  const files = new Map([["openapi.yaml", Buffer.from(head + both)]]);
  await validateProject(
    { files, documents: new Map(), docs: new Map(), dropped: new Set(), unexpected: [] },
    findings,
    {
      egress: "any",
    },
  );
  expect(findings.errors).toEqual([
    { file: "openapi.yaml", line: 4, column: 1, message: expect.stringContaining("more than 10000 operations") },
  ]);
});
