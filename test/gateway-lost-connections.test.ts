import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { type RawRequest, RawUpstream, responseText } from "./support/upstream.ts";

const host = "shop.localhost";

let gateway: TestGateway;
let raw: RawUpstream;

/** Raw responses by path. */
const handlers: Record<string, (request: RawRequest) => void> = {
  "/hang": () => {},
  "/cut": ({ socket }) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhalf"),
  "/cut-chunked": ({ socket }) => socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
  "/cut-at-once": ({ socket }) =>
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhalf", () => socket.destroy()),
  "/endless": ({ socket }) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nfirst"),
};

beforeAll(async () => {
  raw = await RawUpstream.start((request) => {
    const handler = handlers[request.path];
    if (handler) handler(request);
    else request.socket.write(responseText("ok"));
  });
  gateway = new TestGateway();
  const target = { upstream: raw.url };
  const routes = Object.keys(handlers).map((path) => ({ path, target }));
  await gateway.deploy("shop", artifactOf([...routes, { path: "/things/{id}", target }]));
});

afterAll(async () => {
  await gateway.stop();
  await raw.stop();
});

test.each([["/cut"], ["/cut-chunked"]])("%s: the client's connection is reset, not ended", async (path) => {
  const { text, isBroken } = await talk(gateway.port, rawRequest("GET", host, path), (got) => {
    if (got.includes("half")) raw.requests.at(-1)!.socket.destroy();
    return false;
  });
  expect(text).toContain("half");
  expect(text).not.toContain("\r\n0\r\n\r\n");
  expect(isBroken).toBe(true);
});

test("a response truncated right after its head does not look complete", async () => {
  const { text } = await talk(
    gateway.port,
    rawRequest("GET", host, "/cut-at-once", ["connection: close"]),
    () => false,
  );
  expect(text).not.toContain("\r\n0\r\n\r\n");
  expect((await gateway.fetch("shop", "/things/1")).status).toBe(200);
});

test("a client that disconnects before the response closes the upstream's connection", async () => {
  const before = raw.requests.length;
  const socket = connect(gateway.port, "127.0.0.1", () => socket.write(rawRequest("GET", host, "/hang")));
  await until(() => raw.requests.length > before, { what: "the request to reach the upstream" });
  const { closed } = raw;
  socket.destroy();
  await until(() => raw.closed > closed, { what: "the upstream's connection to end" });
});

test("a client that disconnects from a stalled response closes it too, after ten seconds", async () => {
  const { closed } = raw;
  const socket = connect(gateway.port, "127.0.0.1", () => socket.write(rawRequest("GET", host, "/endless")));
  await new Promise((resolve) => socket.once("data", resolve));
  socket.destroy();
  await until(
    () => {
      gateway.server.checkTimeouts();
      return raw.closed > closed;
    },
    { what: "the upstream's connection to end" },
  );
});

test.each([
  ["before the response", [], ""],
  ["in the middle of a body", ["content-length: 100"], "abc"],
])("a client that disconnects %s is logged as 499", async (_, headers, body) => {
  const id = crypto.randomUUID();
  const request = rawRequest("GET", host, "/hang", [`x-request-id: ${id}`, ...headers], body);
  const socket = connect(gateway.port, "127.0.0.1", () => socket.write(request));
  await until(() => raw.requests.some((request) => request.headers.get("x-request-id") === id));
  socket.destroy();
  const entry = await until(() => gateway.requests.find(({ requestId }) => requestId === id));
  expect(entry.status).toBe(499);
});

test("an upstream that never reads a request body is a timeout, and its connection ends", async () => {
  const sockets: Socket[] = [];
  const deaf = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {});
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => deaf.listen(0, "127.0.0.1", resolve));
  const { port } = deaf.address() as { port: number };
  const target = { upstream: `http://127.0.0.1:${port}` };
  const route = { path: "/x", method: "POST" as const, target, timeoutSeconds: 0.3 };
  await gateway.deploy("deaf", artifactOf([route]));
  const head = rawRequest("POST", "deaf.localhost", "/x", ["content-length: 100000000"]);
  let text = "";
  const client = connect(gateway.port, "127.0.0.1", () => {
    client.write(head);
    client.write(Buffer.alloc(50_000_000));
  });
  client.on("error", () => {});
  client.on("data", (piece) => {
    text += piece;
  });
  await until(() => text.includes("upstream_timeout"));
  expect(text).toStartWith("HTTP/1.1 504");
  for (const socket of sockets) socket.resume();
  await until(() => sockets.every(({ destroyed }) => destroyed));
  client.destroy();
  await new Promise((resolve) => deaf.close(resolve));
});

test("a request that must not be retried is sent once, even if its connection was stale", async () => {
  const stale = await RawUpstream.start(({ socket, method }) => {
    if (method === "POST") socket.destroy();
    else socket.write(responseText("ok"));
  });
  try {
    const target = { upstream: stale.url };
    await gateway.deploy(
      "stale",
      artifactOf([
        { path: "/x", target },
        { path: "/x", method: "POST", target },
      ]),
    );
    expect((await gateway.fetch("stale", "/x")).status).toBe(200);
    expect((await gateway.fetch("stale", "/x", { method: "POST", body: "hi" })).status).toBe(502);
    expect(stale.requests.map(({ method }) => method)).toEqual(["GET", "POST"]);
  } finally {
    await stale.stop();
  }
});
