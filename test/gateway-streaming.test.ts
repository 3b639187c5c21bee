import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import type { HttpRequest } from "../src/platform/http1/message/http-request.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { RawUpstream, responseText } from "./support/upstream.ts";

let gateway: TestGateway;
let upstream: Bun.Server<unknown>;
let releaseSecondEvent: () => void;

beforeAll(async () => {
  upstream = Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/upload") return new Response(String((await request.bytes()).byteLength));
      if (pathname === "/events") return new Response(events(), { headers: { "content-type": "text/event-stream" } });
      if (pathname === "/echo") return new Response(request.body);
      throw new Error(`There is no ${pathname}`);
    },
  });
  gateway = new TestGateway();
  const target = { upstream: `http://127.0.0.1:${upstream.port}` };
  await gateway.deploy(
    "shop",
    artifactOf([
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

async function* events() {
  yield "data: first\n\n";
  await new Promise<void>((resolve) => {
    releaseSecondEvent = resolve;
  });
  yield "data: second\n\n";
}

test("an upload may take longer than the upstream may take to respond", async () => {
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isFirst) await until(() => performance.now() > slowUntil);
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

test("a response streams while the request body is still being sent", async () => {
  const request = rawRequest("POST", "shop.localhost", "/echo", ["transfer-encoding: chunked"], "5\r\nhello\r\n");
  const { text } = await talk(gateway.port, request, (got) => got.includes("hello"));
  expect(text).toContain("200 OK");
});

test("a response before the end of a large request body closes the connection", async () => {
  const request = rawRequest("POST", "shop.localhost", "/nowhere", ["content-length: 1000000"], "the beginning");
  const { text } = await talk(gateway.port, request, (got) => got.includes("}}"));
  expect(text).toContain("404 Not Found");
  expect(text.toLowerCase()).toContain("connection: close");
});

test("the connection of an upstream that responds early is closed, and its response arrives", async () => {
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
    await until(() => text.endsWith("no, thank you") && early.closed > closed);
    socket.destroy();
  }
  await early.stop();
});

test("an upstream is not called for a client that has disconnected", async () => {
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
  await until(() => request);
  socket.destroy();
  await until(() => request!.isAborted);
  letPass();
  await until(() => slow.requests.length > 0);
  expect(slow.requests[0]).toMatchObject({ status: 499 });
  expect(upstream.requests).toEqual([]);
  await slow.stop();
  await upstream.stop();
});

test("a request body that is aborted while a policy reads it is a client error", async () => {
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
  await until(() => isReading);
  socket.write("3\r\nabc\r\nzz\r\n");
  await until(() => text.includes("malformed_request"));
  expect(text).toStartWith("HTTP/1.1 400 ");
  const other = connect(reading.port, "127.0.0.1", () => other.write(`${head}3\r\nabc\r\n`, () => other.destroy()));
  await until(() => reading.requests.length === 2);
  expect(reading.requests[1]).toMatchObject({ status: 499 });
  // Access lines are written a moment later. A fault would be a line of another level, or one that is not JSON.
  await until(() => reading.logLines.join("").includes('"status":499'));
  for (const line of reading.logLines.join("").trim().split("\n"))
    expect(JSON.parse(line)).toMatchObject({ level: "info", msg: "request" });
  await reading.stop();
});

test("103 Early Hints pass with Link alone, in order, also through an upstream with options, but not to HTTP/1.0", async () => {
  const upstream = await RawUpstream.start(({ socket }) => {
    socket.write(
      "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\nlink: </b.js>; rel=preload\r\nx-internal: 1\r\n\r\n",
    );
    socket.write("HTTP/1.1 103 Early Hints\r\nx-internal: 2\r\n\r\n");
    socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </c.js>; rel=preload\r\n\r\n${responseText("page")}`);
  });
  const { url } = upstream;
  await gateway.deploy(
    "hints",
    artifactOf(
      [
        { path: "/plain", target: { upstream: url } },
        { path: "/balanced", target: { upstream: url, balanced: 0 } },
      ],
      { upstreams: [{ targets: [{ url, weight: 1 }], balance: "round-robin" }] },
    ),
  );
  const get = async (path: string, version = "1.1") => {
    const text = rawRequest("GET", "hints.localhost", path).replace("HTTP/1.1", `HTTP/${version}`);
    return (await talk(gateway.port, text, (received) => received.endsWith("page"))).text;
  };
  for (const path of ["/plain", "/balanced"]) {
    const received = await get(path);
    const [first, second, final, body] = received.split("\r\n\r\n");
    expect(first).toBe("HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload, </b.js>; rel=preload");
    expect(second).toBe("HTTP/1.1 103 Early Hints\r\nlink: </c.js>; rel=preload");
    expect(final).toStartWith("HTTP/1.1 200 ");
    expect(body).toBe("page");
    expect(received).not.toContain("x-internal");
    expect(await get(path, "1.0")).toStartWith("HTTP/1.1 200 ");
  }
  await upstream.stop();
});
