import { readFileSync } from "node:fs";
import { startRival } from "../child-process.ts";
import { deploy } from "../deployment.ts";
import { progress } from "../progress.ts";
import { limit, limitRow, type Row } from "../row.ts";
import type { RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const warmRounds = 2;

interface CostlyRequest {
  readonly name: string;
  readonly schema: unknown;
  readonly body: string;
}

const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, i) => item(i)).join()}]`;
const members = (count: number, member: (index: number) => string) => `{${list(count, member).slice(1, -1)}}`;
const short = (index: number) => index.toString(36);
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const nested = (depth: number, leaf: object) => {
  let value = leaf;
  for (let level = 0; level < depth; level++) value = { op: "a", fn: "b", child: value };
  return value;
};

const branch = (name: string) => ({
  type: "object",
  required: [name, "child"],
  properties: { [name]: { type: "string" }, child: ref("Expression") },
});

const schemas: Record<string, unknown> = {
  Expression: { oneOf: [branch("op"), branch("fn"), { type: "object", required: ["value"] }] },
  Level20: { type: "integer" },
};
for (let level = 0; level < 20; level++)
  schemas[`Level${level}`] = { anyOf: Array.from({ length: 10 }, () => ref(`Level${level + 1}`)) };

const items = (schema: unknown) => ({ type: "array", items: schema });
const conditions = Array.from({ length: 100 }, (_, index) => [{ const: index }, { type: "string" }] as const);

/** The most expensive known cases, each near the limit that stops it. */
const requests: readonly CostlyRequest[] = [
  {
    name: "branching",
    schema: items(ref("Expression")),
    body: list(40, () => JSON.stringify(nested(190, { value: 1 }))),
  },
  { name: "levels", schema: items(ref("Level0")), body: list(39_900, (index) => `"x${short(index)}"`) },
  { name: "numbers", schema: items({ type: "integer" }), body: list(240_000, () => "1") },
  {
    name: "names",
    schema: { additionalProperties: { type: "integer" } },
    body: members(19_900, (i) => `"${short(i)}":1`),
  },
  { name: "digits", schema: true, body: members(19_900, (index) => `"${index * 40_001}":1`) },
  { name: "shapes", schema: true, body: list(13_300, (index) => `{"a${short(index)}":1}`) },
  { name: "unique", schema: { type: "array", uniqueItems: true }, body: list(140_000, String) },
  { name: "pattern", schema: { pattern: "(a|b)*a(a|b){12}$" }, body: JSON.stringify("ab".repeat(2_000)) },
  {
    name: "patterns",
    schema: items({ pattern: "^[^@]+@[^@]+$" }),
    body: list(40_000, (index) => `"u${index}@a.test"`),
  },
  { name: "url", schema: { format: "url" }, body: JSON.stringify(`http://${":".repeat(2_400)}`) },
  { name: "base64", schema: { format: "byte" }, body: JSON.stringify("QUJD".repeat(250_000)) },
  {
    name: "conditions",
    // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema; the object is never awaited.
    schema: items({ allOf: conditions.map(([when, consequence]) => ({ if: when, then: consequence })) }),
    body: list(20_000, () => "5000"),
  },
];

/** How long one request can block the event loop, by what it has validated. */
export async function validate(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("validate"));
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApi(),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}`, policies: { valid: { type: "validate" } } },
  });
  const worst: number[] = [];
  for (let round = 1 - warmRounds; round <= rounds; round++) {
    const held: [name: string, milliseconds: number][] = [];
    for (const request of requests) held.push([request.name, await send(server, host, request)]);
    held.sort(([, one], [, other]) => other - one);
    if (round < 1) continue;
    worst.push(held[0]![1]);
    const texts = held.slice(0, 3).map(([name, milliseconds]) => `${name} ${milliseconds.toFixed(1)} ms`);
    progress(`validate: round ${round} of ${rounds}: ${texts.join(", ")}`);
  }
  const explanation =
    "The slowest of the most expensive known schemas and bodies, one request at a time: the CPU time during which other requests wait.";
  return [limitRow({ what: "one costly request to validate", against: limit, explanation }, target, worst)];
}

const target = { comparison: "<=", value: 50, unit: "ms" } as const;

function openApi() {
  const paths = requests.map(({ name, schema }) => [
    `/${name}`,
    {
      post: {
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: {},
        "x-tollgate": { policies: ["valid"] },
      },
    },
  ]);
  const info = { title: "Bench", version: "1" };
  return { openapi: "3.1.0", info, paths: Object.fromEntries(paths), components: { schemas } };
}

/** The CPU time of the server's event loop: unlike wall-clock time, it does not depend on other processes. */
function threadMilliseconds(processId: number): number {
  const [nanoseconds] = readFileSync(`/proc/${processId}/task/${processId}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

async function send({ port, processId }: RunningServer, host: string, { name, body }: CostlyRequest): Promise<number> {
  const started = threadMilliseconds(processId);
  const headers = { host, "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/${name}`, { method: "POST", headers, body });
  await response.arrayBuffer();
  if (response.status !== 200 && response.status !== 400) throw new Error(`/${name} returned ${response.status}`);
  return threadMilliseconds(processId) - started;
}
