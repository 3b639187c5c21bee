import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { sqlite } from "./support/engines.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { rawRequest } from "./support/raw-http.ts";
import { account, adminToken } from "./support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const mebibyte = 1024 * 1024;

const clients = 300;
const whole = Buffer.from(`{}${" ".repeat(100_000)}`);
/** All of a body of 1 MiB but its last byte. */
const unfinished = Buffer.alloc(mebibyte - 1, " ");

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ ok: true }) });
let server: SpawnedServer;
let deployed: Deployed;
let port: number;

const json = { "application/json": { schema: { type: "object" } } };
const open = (more: object) => ({ "x-tollgate": { policies: [], ...more } });

beforeAll(async () => {
  server = await spawnServer(sqlite, { environment: { TOLLGATE_CACHE_MB: "16" } });
  port = Number(new URL(server.url).port);
  const { body: bucket } = await server.client.post("/v1/metering");
  deployed = await deploy(
    server,
    { project: "buffers", branch: "main" },
    {
      "openapi.json": openApi({
        "POST /validate": { requestBody: { content: json }, ...open({ policies: ["validate"] }) },
        "POST /json-body": open({ policies: ["change"] }),
        "POST /usage": open({ policies: ["reserve"] }),
        "POST /code": open({ policies: ["code"] }),
        "POST /mcp": open({ handler: "mcp", mcp: { tools: ["tool"] } }),
        "/tool": { operationId: "tool", ...open({}) },
      }),
      "modules/code.ts": 'export default (request: Request) => request.headers.get("x-none") ? request : undefined;',
      "tollgate.json": {
        upstream: upstream.url.origin,
        policies: {
          validate: { type: "validate", options: {} },
          change: { type: "json-body", options: { request: { set: { "/a": 1 } } } },
          reserve: {
            type: "usage",
            options: {
              bucketId: bucket.id,
              meters: { units: { header: "x-units", default: 1 } },
              reserve: { units: { pointer: "/n", maximum: 9 } },
            },
          },
          code: { type: "modules/code.ts", body: { request: "buffer" } },
        },
      },
    },
  );
});
afterAll(async () => {
  await server.stop();
  await upstream.stop(true);
});

const host = () => new URL(deployed.url).hostname;
const authorization = `authorization: Bearer ${adminToken}`;
/** Every way in which a body is read as a whole. */
const ways: Record<string, () => [host: string, path: string, ...headers: string[]]> = {
  "management API": () => ["localhost", `/v1/accounts/${account}/key-buckets`, authorization],
  "batches of the management API": () => ["localhost", "/v1/metering/mtr_0/events", authorization],
  assistant: () => ["localhost", "/mcp", authorization, "content-type: application/json"],
  "events of a payment provider": () => ["localhost", `/v1/accounts/${account}/payment-provider/test/events`],
  ...Object.fromEntries(
    ["validate", "json-body", "usage", "code", "mcp"].map((name) => [
      name,
      () => [host(), `/${name}`, "content-type: application/json"] as [string, string, string],
    ]),
  ),
};

async function peakMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${server.processId}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)![1]) / 1024;
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Sends a body, or a part of it. */
class BodyClient {
  readonly socket: Socket;
  response = "";
  isOver = false;

  constructor(
    [hostname, path, ...headers]: string[],
    body = unfinished,
    localAddress = "127.0.0.1",
    length = mebibyte,
  ) {
    this.socket = connect({ port, host: "127.0.0.1", localAddress });
    this.socket.on("error", () => {});
    this.socket.on("close", () => {
      this.isOver = true;
    });
    this.socket.on("data", (bytes) => {
      this.response += bytes.toString("latin1");
    });
    this.socket.write(rawRequest("POST", hostname!, path!, [...headers, `content-length: ${length}`]));
    this.socket.write(body);
  }
}

describe("unfinished bodies of 1 MiB", () => {
  test.each(Object.keys(ways))(
    "%s: they are bounded within the memory of the chart, and clients of other networks are served",
    async (name) => {
      const values = await readFile(join(import.meta.dir, "../deploy/helm/values.yaml"), "utf8");
      const limitMegabytes = 1024 * Number(/limits:\s+memory: (\d+)Gi/.exec(values)![1]);
      const slow = Array.from({ length: clients }, () => new BodyClient(ways[name]!()));
      const waiting = () => slow.filter(({ response, isOver }) => !isOver && response === "").length;
      await until(async () => (await metric("tollgate_buffered_bytes")) === waiting() * unfinished.length, {
        what: () => `the bodies of ${waiting()} clients to arrive`,
      });
      const rejected = slow.filter(({ response }) => /^HTTP\/1.1 (?:503|413) /.test(response));
      expect(rejected.length).toBeGreaterThan(clients / 3);
      expect(await metric("tollgate_buffered_bytes")).toBeLessThanOrEqual(86 * mebibyte);
      const other = new BodyClient(ways[name]!(), whole, "127.0.0.2", whole.length);
      await until(() => other.response !== "");
      expect(other.response).not.toMatch(/^HTTP\/1.1 (?:408|413|503) /);
      expect(await metric("tollgate_buffered_bytes")).toBeGreaterThan(60 * mebibyte);
      for (const { socket } of [...slow, other]) socket.destroy();
      await until(async () => (await metric("tollgate_buffered_bytes")) === 0);

      expect(await peakMegabytes()).toBeLessThan(limitMegabytes);
    },
  );
});

test.each(Object.keys(ways))("%s: bodies that are only announced take nothing from others", async (name) => {
  const slow = Array.from({ length: 64 }, () => new BodyClient(ways[name]!(), Buffer.from("{")));
  await until(async () => (await metric("tollgate_buffered_bytes")) === slow.length);
  // Of the same network.
  const other = new BodyClient(ways[name]!(), whole, "127.0.0.1", whole.length);
  await until(() => other.response !== "");
  expect(other.response).not.toMatch(/^HTTP\/1.1 (?:408|413|503) /);
  expect(slow.map(({ response, isOver }) => isOver || response)).toEqual(slow.map(() => ""));
  for (const { socket } of [...slow, other]) socket.destroy();
  await until(async () => (await metric("tollgate_buffered_bytes")) === 0);
});
