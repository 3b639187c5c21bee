import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { HttpResponse } from "../src/platform/http1/message/http-response.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { RawUpstream } from "./support/upstream.ts";

let gateway: TestGateway;
let upstream: Bun.Server<unknown>;
let lastHeaders: Headers;
const upstreamCloses: { code: number; reason: string }[] = [];

beforeAll(async () => {
  upstream = Bun.serve<unknown>({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, server) {
      lastHeaders = request.headers;
      const { pathname } = new URL(request.url);
      if (pathname === "/closed") return new Response("no", { status: 403 });
      if (pathname === "/plain") return new Response("not a socket");
      const chosen = request.headers.get("sec-websocket-protocol")?.split(", ").at(-1);
      const headers: Record<string, string> = chosen === undefined ? {} : { "sec-websocket-protocol": chosen };
      return server.upgrade(request, { headers, data: {} }) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      maxPayloadLength: 64 * 1024 * 1024,
      open: (socket) => void socket.send("welcome"),
      message(socket, message) {
        if (message === "end") socket.close(4001, "because");
        else if (message === "break") socket.terminate();
        else socket.send(message);
      },
      close: (_, code, reason) => void upstreamCloses.push({ code, reason }),
    },
  });
  gateway = new TestGateway({ policies: { closed: () => ({ enter: () => new HttpResponse(401) }) } });
  const target = { upstream: `http://127.0.0.1:${upstream.port}` };
  await gateway.deploy(
    "shop",
    artifactOf(
      [
        { path: "/socket", target },
        { path: "/closed", target },
        { path: "/plain", target },
        { path: "/guarded", target, policies: ["closed"] },
        { path: "/gone", target: { upstream: "http://127.0.0.1:1" } },
      ],
      { policies: { closed: { type: "closed", options: {} } } },
    ),
  );
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

interface Talk {
  socket: WebSocket;
  messages: (string | Buffer)[];
  closes: { code: number; reason: string }[];
}

async function open(path: string, protocols: string[] = [], headers: Record<string, string> = {}): Promise<Talk> {
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}${path}`, {
    protocols,
    headers: { host: "shop.localhost", ...headers },
  });
  socket.binaryType = "nodebuffer";
  const talk: Talk = { socket, messages: [], closes: [] };
  socket.addEventListener("message", ({ data }) => talk.messages.push(data as string | Buffer));
  socket.addEventListener("close", ({ code, reason }) => talk.closes.push({ code, reason }));
  await until(() => socket.readyState !== WebSocket.CONNECTING);
  return talk;
}

test("text and binary go both ways, and the upstream's first message is not lost", async () => {
  const { socket, messages } = await open("/socket");
  socket.send("hello");
  socket.send(new Uint8Array([1, 2, 3]));
  await until(() => messages.length === 3);
  expect(messages[0]).toBe("welcome");
  expect(messages[1]).toBe("hello");
  expect([...(messages[2] as Buffer)]).toEqual([1, 2, 3]);
  socket.close();
});

test("the handshake carries headers and the subprotocol that the upstream chose", async () => {
  const { socket } = await open("/socket", ["one", "two"], { authorization: "Bearer x", "x-consumer-name": "forged" });
  expect(socket.protocol).toBe("two");
  expect(lastHeaders.get("authorization")).toBe("Bearer x");
  expect(lastHeaders.get("x-consumer-name")).toBeNull();
  expect(lastHeaders.get("x-forwarded-host")).toBe("shop.localhost");
  expect(lastHeaders.get("host")).toBe(`127.0.0.1:${upstream.port}`);
  socket.close();
});

test("close codes and reasons go both ways", async () => {
  const theirs = await open("/socket");
  theirs.socket.send("end");
  await until(() => theirs.closes.length === 1);
  expect(theirs.closes).toEqual([{ code: 4001, reason: "because" }]);

  const ours = await open("/socket");
  ours.socket.close(4002, "enough");
  await until(() => upstreamCloses.some(({ code }) => code === 4002));
  expect(upstreamCloses.find(({ code }) => code === 4002)).toEqual({ code: 4002, reason: "enough" });
});

test("a connection lost on one side is closed on the other", async () => {
  const theirs = await open("/socket");
  theirs.socket.send("break");
  await until(() => theirs.closes.length === 1);
  expect(theirs.closes[0]!.code).toBe(1006);
  const before = upstreamCloses.length;
  const ours = await open("/socket");
  ours.socket.terminate();
  await until(() => upstreamCloses.length > before);
});

test("large messages pass unchanged", async () => {
  const { socket, messages } = await open("/socket");
  const large = Buffer.alloc(10_000_000, 7);
  socket.send(large);
  await until(() => messages.length === 2);
  expect(Bun.hash(messages[1] as Buffer)).toBe(Bun.hash(large));
  socket.close();
});

test.each([
  ["/closed", 403],
  ["/plain", 200],
  ["/gone", 502],
  ["/guarded", 401],
  ["/nowhere", 404],
])("%s gets %d, and the client is not upgraded", async (path, status) => {
  const response = await gateway.fetch("shop", path, {
    headers: {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    },
  });
  expect(response.status).toBe(status);
});

test("an upgraded connection is logged as 101", async () => {
  const { socket } = await open("/socket", [], { "x-request-id": "upgraded" });
  expect(gateway.requests.find(({ requestId }) => requestId === "upgraded")).toMatchObject({
    status: 101,
    route: "/socket",
  });
  socket.close();
});

test("a client that sent more than the upstream read is closed when the upstream disconnects", async () => {
  const stuck = await RawUpstream.start(({ socket }) => {
    socket.pause();
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
  });
  await gateway.deploy("stuck", artifactOf([{ path: "/", target: { upstream: stuck.url } }]));
  const client = connect(gateway.port, "127.0.0.1");
  let text = "";
  let isClosed = false;
  client.on("error", () => {});
  client.on("data", (piece) => {
    text += piece;
  });
  client.on("close", () => {
    isClosed = true;
  });
  client.write(rawRequest("GET", "stuck.localhost", "/", ["connection: upgrade", "upgrade: websocket"]));
  await until(() => text.includes("101"));
  // Written until the socket's buffers are full.
  client.write(Buffer.alloc(50_000_000));
  let sent = -1;
  await until(async () => {
    const isStill = client.bytesWritten - client.writableLength === sent;
    sent = client.bytesWritten - client.writableLength;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return isStill;
  });
  stuck.requests[0]!.socket.resetAndDestroy();
  await until(() => isClosed);
  await stuck.stop();
});
