import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import type { HttpRequest } from "../src/platform/http1/http-request.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { RawUpstream, responseText } from "./support/upstream.ts";

const largeBytes = 600_000_000;
const pieceBytes = 1_000_000;
/** What passing that on may take in memory, with both ends of it in the same process. */
const boundBytes = 300_000_000;

let gateway: TestGateway;
let upstream: Bun.Server<unknown>;
let releaseSecondEvent: () => void;
let received = { bytes: 0, length: "" as string | null };

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/upload") {
        received = { bytes: 0, length: request.headers.get("content-length") };
        for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>)
          received.bytes += piece.byteLength;
        return new Response(String(received.bytes));
      }
      if (pathname === "/events") return new Response(events(), { headers: { "content-type": "text/event-stream" } });
      if (pathname === "/echo") return new Response(request.body);
      return new Response(pieces(largeBytes));
    },
  });
  gateway = new TestGateway();
  const target = { upstream: `http://127.0.0.1:${upstream.port}` };
  await gateway.deploy(
    "shop",
    artifactOf([
      { path: "/download", target },
      { path: "/events", target },
      { path: "/upload", method: "POST", target, timeoutSeconds: 1 },
      { path: "/echo", method: "POST", target },
    ]),
  );
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

function pieces(bytes: number): ReadableStream<Uint8Array> {
  const piece = new Uint8Array(pieceBytes).fill(97);
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      if (left === 0) return controller.close();
      left -= pieceBytes;
      controller.enqueue(piece);
    },
  });
}

async function* events() {
  yield "data: first\n\n";
  await new Promise<void>((resolve) => {
    releaseSecondEvent = resolve;
  });
  yield "data: second\n\n";
}

/** How far memory rose above where it was, at the worst, while `work` went on. */
async function peakOf(work: () => Promise<void>): Promise<number> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 5);
  await work();
  clearInterval(watch);
  return peak - before;
}

test("600 MB come down without being buffered", async () => {
  const peak = await peakOf(async () => {
    const response = await gateway.fetch("shop", "/download");
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) bytes += piece.byteLength;
    expect(bytes).toBe(largeBytes);
  });
  expect(peak).toBeLessThan(boundBytes);
});

test.each([
  ["a declared length", [`content-length: ${largeBytes}`], String(largeBytes)],
  ["chunks", ["transfer-encoding: chunked"], null],
])("600 MB go up with %s without being buffered", async (_, headers, length) => {
  const peak = await peakOf(async () => {
    const isChunked = length === null;
    const piece = Buffer.alloc(pieceBytes, 98);
    const framed = isChunked
      ? Buffer.concat([Buffer.from(`${pieceBytes.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
      : piece;
    const response = await new Promise<string>((resolve) => {
      let left = largeBytes / pieceBytes;
      const socket = connect(gateway.port, "127.0.0.1");
      const more = () => {
        while (left > 0) {
          left -= 1;
          if (!socket.write(framed)) return void socket.once("drain", more);
        }
        if (isChunked && left === 0) socket.write("0\r\n\r\n");
        left = -1;
      };
      socket.write(rawRequest("POST", "shop.localhost", "/upload", headers));
      more();
      socket.on("data", (data) => {
        resolve(String(data));
        socket.destroy();
      });
    });
    expect(response).toContain("200 OK");
  });
  expect(received).toEqual({ bytes: largeBytes, length });
  expect(peak).toBeLessThan(boundBytes);
});

test("an upload may take longer than the upstream may take to respond", async () => {
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isFirst) await until(() => performance.now() > slowUntil, { withinMs: 5000 });
      controller.enqueue(new Uint8Array(10));
      if (!isFirst) controller.close();
      isFirst = false;
    },
  });
  const slowUntil = performance.now() + 1300;
  const response = await gateway.fetch("shop", "/upload", { method: "POST", body });
  expect(await response.text()).toBe("20");
});

test("events arrive when they are sent", async () => {
  const response = await gateway.fetch("shop", "/events");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe("data: first\n\n");
  releaseSecondEvent();
  expect(await next()).toBe("data: second\n\n");
  expect((await reader.read()).done).toBe(true);
});

test("a body comes back while it is still being sent", async () => {
  const request = rawRequest("POST", "shop.localhost", "/echo", ["transfer-encoding: chunked"], "5\r\nhello\r\n");
  const { text } = await talk(gateway.port, request, (got) => got.includes("hello"));
  expect(text).toContain("200 OK");
});

test("a response that came before all of a large body was read closes the connection", async () => {
  const request = rawRequest("POST", "shop.localhost", "/nowhere", ["content-length: 1000000"], "the beginning");
  const { text } = await talk(gateway.port, request, (got) => got.includes("}}"));
  expect(text).toContain("404 Not Found");
  expect(text.toLowerCase()).toContain("connection: close");
});

test("an upstream that responds before it has read all is closed, and its response arrives", async () => {
  const early = await RawUpstream.start(({ socket }) => void socket.write(responseText("no, thank you")));
  await gateway.deploy("early", artifactOf([{ path: "/", method: "POST", target: { upstream: early.url } }]));
  for (const length of [1_000, 1_000_000]) {
    const { closed } = early;
    const request = rawRequest("POST", "early.localhost", "/", [`content-length: ${length}`], "the beginning");
    const socket = connect(gateway.port, "127.0.0.1", () => socket.write(request));
    let text = "";
    socket.on("data", (piece) => {
      text += piece;
    });
    await until(() => text.endsWith("no, thank you") && early.closed > closed, { withinMs: 2_000 });
    socket.destroy();
  }
  await early.stop();
});

test("an upstream is not called for a client that left in the meantime", async () => {
  const upstream = await RawUpstream.start(({ socket }) => void socket.write(responseText("late")));
  let request: HttpRequest | undefined;
  let letPass = () => {};
  const slow = new TestGateway({
    policies: {
      slow: () => ({
        enter: async (passage) => {
          ({ request } = passage);
          await new Promise<void>((resolve) => {
            letPass = resolve;
          });
          return undefined;
        },
      }),
    },
  });
  const route = { path: "/", target: { upstream: upstream.url }, policies: ["slow"] };
  await slow.deploy("slow", artifactOf([route], { policies: { slow: { type: "slow", options: {} } } }));
  const socket = connect(slow.port, "127.0.0.1", () => socket.write(rawRequest("GET", "slow.localhost", "/")));
  await until(() => request, { withinMs: 2_000 });
  socket.destroy();
  await until(() => request!.isAborted, { withinMs: 2_000 });
  letPass();
  await until(() => slow.requests.length > 0, { withinMs: 2_000 });
  expect(slow.requests[0]).toMatchObject({ status: 499 });
  expect(upstream.requests).toEqual([]);
  await slow.stop();
  await upstream.stop();
});

test("a body that breaks while a policy reads it is its sender's error", async () => {
  let isReading = false;
  const reading = new TestGateway({
    policies: {
      reading: () => ({
        enter: async ({ request }) => {
          isReading = true;
          await request.body?.bytes(1_000);
          return undefined;
        },
      }),
    },
  });
  const target = { upstream: `http://127.0.0.1:${upstream.port}` };
  const route = { path: "/", method: "POST" as const, target, policies: ["reading"] };
  await reading.deploy("shop", artifactOf([route], { policies: { reading: { type: "reading", options: {} } } }));
  const head = rawRequest("POST", "shop.localhost", "/", ["transfer-encoding: chunked"]);
  const socket = connect(reading.port, "127.0.0.1", () => socket.write(head));
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  await until(() => isReading, { withinMs: 2_000 });
  socket.write("3\r\nabc\r\nzz\r\n");
  await until(() => text.includes("malformed_request"), { withinMs: 2_000 });
  expect(text).toStartWith("HTTP/1.1 400 ");
  const other = connect(reading.port, "127.0.0.1", () => other.write(`${head}3\r\nabc\r\n`, () => other.destroy()));
  await until(() => reading.requests.length === 2, { withinMs: 2_000 });
  expect(reading.requests[1]).toMatchObject({ status: 499 });
  expect(reading.logLines).toEqual([]);
  await reading.stop();
});
