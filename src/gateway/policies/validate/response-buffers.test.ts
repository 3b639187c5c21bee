import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { artifactOf, TestGateway } from "../../../../test/support/gateway.ts";
import { placeOf } from "../../../../test/support/request-context.ts";
import { until } from "../../../../test/support/until.ts";
import { BufferMemory } from "../../../platform/http1/memory/buffer-memory.ts";
import { ResponseValidatePolicy } from "./response-validate.ts";

const size = 600;
const text = JSON.stringify("x".repeat(size - 2));
/** A client's share has room for one of them. */
const buffers = new BufferMemory(2400);

let release = Promise.withResolvers<void>();
let waiting = 0;

/** Sends all but the last byte, and that one when the test says so. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    const stream = async function* () {
      yield text.slice(0, -1);
      waiting += 1;
      await release.promise;
      yield text.slice(-1);
    };
    return new Response(stream(), { headers: { "content-type": "application/json" } });
  },
});
afterAll(() => upstream.stop(true));

let gateway: TestGateway;

beforeAll(async () => {
  const responses = [{ status: 200, content: { "application/json": { type: "string" } } }];
  const policy = (mode: "report" | "enforce") => () =>
    new ResponseValidatePolicy({ parameters: [], responses }, mode, placeOf());
  gateway = new TestGateway({ memory: buffers, policies: { report: policy("report"), enforce: policy("enforce") } });
  const target = { upstream: upstream.url.origin };
  await gateway.deploy(
    "shop",
    artifactOf(
      ["report", "enforce"].map((name) => ({ path: `/${name}`, method: "GET", target, policies: [name] })),
      { policies: { report: { type: "report", options: {} }, enforce: { type: "enforce", options: {} } } },
    ),
  );
});
afterAll(() => gateway.stop());

beforeEach(() => {
  release = Promise.withResolvers();
  waiting = 0;
  gateway.requests.length = 0;
});

const details = () => gateway.requests.map(({ decisions }) => decisions[0]?.detail);

test("enforce: what does not fit is 503, and fits when the others have ended", async () => {
  const first = gateway.fetch("shop", "/enforce");
  await until(() => buffers.used >= size - 1);
  const second = await gateway.fetch("shop", "/enforce");
  expect([second.status, second.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await second.json()).toMatchObject({ code: "buffers_full" });
  release.resolve();
  expect(await (await first).text()).toBe(text);
  await until(() => buffers.used === 0);
  expect(await (await gateway.fetch("shop", "/enforce")).text()).toBe(text);
  await until(() => buffers.used === 0 && gateway.requests.length === 3);
  expect(details()).toEqual([{ reason: "buffers_full" }, undefined, undefined]);
});

test("report: what does not fit reaches the client, and is recorded as not validated", async () => {
  const responses = [gateway.fetch("shop", "/report"), gateway.fetch("shop", "/report")];
  await until(() => waiting === 2);
  release.resolve();
  for (const response of responses) expect(await (await response).text()).toBe(text);
  await until(() => buffers.used === 0 && gateway.requests.length === 2);
  expect(details()).toContainEqual({ reason: "buffers_full" });
  expect(details()).toContainEqual(undefined);
});

test("enforce: a client that disconnects frees its buffer, and the upstream is not read any further", async () => {
  const controller = new AbortController();
  const sent = gateway.fetch("shop", "/enforce", { signal: controller.signal });
  await until(() => buffers.used >= size - 1);
  controller.abort();
  await expect(sent).rejects.toThrow();
  await until(() => buffers.used === 0);
  await until(() => gateway.requests.length === 1);
  expect(gateway.requests[0]!.status).toBe(499);
});
