import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { connect } from "node:net";
import type { ExchangeOutcome, Policy } from "../src/gateway/exchange/policy.ts";
import { reject } from "../src/gateway/exchange/rejection.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { until } from "./support/until.ts";
import { RawUpstream } from "./support/upstream.ts";

let gateway: TestGateway;
let upstream: Bun.Server<unknown>;
let broken: RawUpstream;
let releaseStream = () => {};
let isHanging = false;
const calls: { name: string; outcome: ExchangeOutcome }[] = [];

/** Records when the gateway calls `done`. */
const recorder = (name: string): Policy => ({
  enter: () => undefined,
  done(_, outcome) {
    calls.push({ name, outcome });
    return { reason: "recorded", message: name };
  },
});

beforeAll(async () => {
  upstream = Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      const { pathname } = new URL(request.url);
      if (pathname === "/socket")
        return server.upgrade(request, { data: undefined }) ? undefined : new Response(null, { status: 400 });
      if (pathname === "/stream") return new Response(twoParts());
      if (pathname === "/hang") {
        isHanging = true;
        return new Promise<Response>(() => {});
      }
      return new Response("whole", { status: pathname === "/teapot" ? 418 : 200 });
    },
    websocket: { message: (socket, text) => void socket.send(text) },
  });
  broken = await RawUpstream.start(({ socket }) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nless");
  });
  gateway = new TestGateway({
    policies: {
      first: () => recorder("first"),
      second: () => recorder("second"),
      reject: () => ({ enter: (context) => reject(context, "rate_limited") }),
      fail: () => ({
        done() {
          throw new Error("no good");
        },
      }),
    },
  });
  const target = { upstream: upstream.url.origin };
  const both = ["first", "second"];
  const paths = ["/whole", "/teapot", "/stream", "/hang", "/socket"];
  await gateway.deploy(
    "shop",
    artifactOf(
      [
        ...paths.map((path) => ({ path, target, policies: both })),
        { path: "/broken", target: { upstream: broken.url }, policies: both },
        { path: "/rejected", target, policies: ["first", "reject", "second"] },
        { path: "/failing", target, policies: ["fail", "first"] },
        { path: "/gone", target: { upstream: "http://127.0.0.1:1" }, policies: ["first"] },
      ],
      {
        policies: Object.fromEntries(
          ["first", "second", "reject", "fail"].map((type) => [type, { type, options: {} }]),
        ),
      },
    ),
  );
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
  await broken.stop();
});

beforeEach(() => {
  calls.length = 0;
  gateway.requests.length = 0;
});

async function* twoParts() {
  yield "first";
  await new Promise<void>((resolve) => {
    releaseStream = resolve;
  });
  yield "second";
}

const outcomes = (names: string[], outcome: ExchangeOutcome) => names.map((name) => ({ name, outcome }));
const recorded = () =>
  gateway.requests.map(({ status, decisions }) => [status, decisions.map(({ detail }) => detail?.message)]);

/** Opens a connection, sends a request and returns the socket once some bytes of the response have arrived. */
async function beginRequest(path: string, bytes: number) {
  const socket = connect(gateway.port, "127.0.0.1");
  let received = 0;
  socket.on("data", (piece) => {
    received += piece.length;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nhost: shop.localhost\r\n\r\n`);
  await until(() => received >= bytes);
  return socket;
}

test.each([
  ["/whole", 200],
  ["/teapot", 418],
])("done is called once for each policy of %s, and its detail is in the record", async (path, status) => {
  const response = await gateway.fetch("shop", path);
  await response.text();
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first", "second"], { status, wasSent: true }));
  expect(recorded()).toEqual([[status, ["first", "second"]]]);
});

test("it waits for the last byte of a stream", async () => {
  const response = await gateway.fetch("shop", "/stream");
  const reader = response.body!.getReader();
  await reader.read();
  expect(calls).toEqual([]);
  expect(gateway.requests).toEqual([]);
  releaseStream();
  await reader.read();
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first", "second"], { status: 200, wasSent: true }));
});

test("a client that disconnects during the stream, or before the response", async () => {
  const streaming = await beginRequest("/stream", 50);
  streaming.resetAndDestroy();
  await until(() => gateway.requests.length === 1);
  expect(calls).toEqual(outcomes(["first", "second"], { status: 200, wasSent: false }));
  releaseStream();
  const waiting = await beginRequest("/hang", 0);
  await until(() => isHanging);
  waiting.resetAndDestroy();
  await until(() => gateway.requests.length === 2);
  expect(calls.slice(2)).toEqual(outcomes(["first", "second"], { status: 499, wasSent: false }));
});

test("an upstream that closes the connection early", async () => {
  const response = await gateway.fetch("shop", "/broken");
  await response.text().catch(() => {});
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first", "second"], { status: 200, wasSent: false }));
});

test("an upstream that cannot be reached", async () => {
  expect((await gateway.fetch("shop", "/gone")).status).toBe(502);
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first"], { status: 502, wasSent: true }));
});

test("only for the policies before the one that rejects", async () => {
  expect((await gateway.fetch("shop", "/rejected")).status).toBe(429);
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first"], { status: 429, wasSent: true }));
});

test("a failure in one policy does not affect the others", async () => {
  expect((await gateway.fetch("shop", "/failing")).status).toBe(200);
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first"], { status: 200, wasSent: true }));
  expect(gateway.logLines.join("")).toContain("a policy failed after the response");
});

test("a WebSocket is done when it closes", async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/socket`, { headers: { host: "shop.localhost" } });
  const echoed = new Promise((resolve) => {
    socket.onmessage = ({ data }) => resolve(data);
  });
  socket.onopen = () => socket.send("hello");
  expect(await echoed).toBe("hello");
  expect(calls).toEqual([]);
  socket.close();
  await until(() => gateway.requests.length > 0);
  expect(calls).toEqual(outcomes(["first", "second"], { status: 101, wasSent: true }));
});
