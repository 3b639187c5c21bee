import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PolicyBodies } from "../src/core/artifact/artifact.ts";
import { BufferMemory } from "../src/platform/http1/memory/buffer-memory.ts";
import { HttpResponse } from "../src/platform/http1/message/http-response.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { until } from "./support/until.ts";

const mebibyte = 1024 * 1024;

/** The modules of the gateways below. Each is a policy. */
const code = `
const text = (body) => new TextDecoder().decode(body);
const upper = () => new TransformStream({ transform(chunk, controller) {
  controller.enqueue(new TextEncoder().encode(text(chunk).toUpperCase()));
} });
const modules = {
  "modules/none.ts": {
    default: (request, context) => { context.state.started = "now"; context.state.body = request.body === null; },
    onResponse(response, request, context) {
      if (request.headers.has("x-unchanged")) return;
      if (request.headers.has("x-replace")) return new Response("replaced", { status: 202, headers: response.headers });
      if (request.headers.has("x-read")) return response.json();
      const headers = new Headers(response.headers);
      headers.set("x-seen", JSON.stringify({ state: context.state, url: request.url, body: response.body === null }));
      headers.append("set-cookie", "third=3");
      headers.delete("x-internal");
      return new Response(response.body, { status: response.status === 200 ? 203 : response.status, headers });
    },
  },
  "modules/buffer.ts": {
    async default(request, context) {
      if (request.headers.has("x-stop")) return new Response("stopped", { status: 403 });
      const body = await request.text();
      if (request.headers.has("x-peek")) return;
      if (request.headers.has("x-drop")) return new Request(request.url, { method: "POST" });
      if (body) return new Request(request, { body: body.toUpperCase() });
    },
    async onResponse(response, request, context) {
      const body = await response.text();
      if (request.headers.has("x-peek")) return response;
      return new Response(body + "!", response);
    },
  },
  "modules/json.ts": {
    default() {},
    onResponse: async (response) => Response.json({ ...(await response.json()), added: true }, response),
  },
  "modules/stream.ts": {
    default(request) {
      if (request.headers.has("x-pass") || !request.body) return;
      return new Request(request, { body: request.body.pipeThrough(upper()) });
    },
    onResponse(response, request) {
      if (request.headers.has("x-pass")) return;
      return new Response(response.body.pipeThrough(upper()), response);
    },
  },
  "modules/breaks.ts": {
    default() {},
    onResponse: (response) => new Response(response.body.pipeThrough(new TransformStream({
      transform(chunk, controller) { controller.enqueue(chunk); throw new Error("in the middle"); },
    })), response),
  },
  "modules/spins.ts": {
    default() {},
    onResponse: (response) => new Response(response.body.pipeThrough(new TransformStream({
      transform(chunk, controller) { controller.enqueue(chunk); setTimeout(() => { for (;;); }, 50); },
    })), response),
  },
  "modules/ignores.ts": { default() {}, onResponse: () => new Response("own") },
  "modules/state.ts": { default(_, context) { context.state = "x".repeat(5000); }, onResponse() {} },
  "modules/plain.ts": { default() {} },
  "modules/user.ts": { default: (_, context) => Response.json(context.user) },
};
export default modules;
`;

const reads = (request: PolicyBodies["request"], response: PolicyBodies["response"], maxBytes = mebibyte) => ({
  body: { request, response, maxBytes },
});
const policy = (module: string, more = {}) => ({
  type: `modules/${module}.ts`,
  options: {},
  hasOnResponse: true as const,
  ...more,
});

let cancelled = 0;
let upstreamRequests = 0;
const upstream = Bun.serve<unknown>({
  port: 0,
  hostname: "127.0.0.1",
  websocket: { message: (socket, message) => void socket.send(message) },
  async fetch(request, server) {
    upstreamRequests += 1;
    const { pathname: path, searchParams } = new URL(request.url);
    const pathname = `/${path.split("/").at(-1)}`;
    if (pathname === "/socket") return server.upgrade(request, { data: {} }) ? undefined : new Response("no");
    if (pathname === "/hang") return new Promise(() => {});
    const headers = { etag: '"1"', "content-digest": "sha-256=:x:", "x-internal": "1" };
    if (pathname === "/echo") {
      const body = await request.text();
      return Response.json(
        { body, encoding: request.headers.get("accept-encoding"), length: request.headers.get("content-length") },
        { headers },
      );
    }
    if (pathname === "/cookies")
      return new Response("body", {
        headers: [
          ["set-cookie", "first=1"],
          ["set-cookie", "second=2"],
          ["x-internal", "1"],
        ],
      });
    if (pathname === "/empty") return new Response(null, { status: Number(searchParams.get("status")), headers });
    if (pathname === "/encoded")
      return new Response(Bun.gzipSync("encoded"), { headers: { "content-encoding": "gzip" } });
    if (pathname === "/endless" || pathname === "/breaking") {
      const chunk = new Uint8Array(64 * 1024).fill(97);
      return new Response(
        new ReadableStream({
          pull: (controller) => {
            if (pathname === "/breaking") setTimeout(() => controller.error(new Error("upstream")), 50);
            controller.enqueue(chunk);
            return new Promise((resolve) => setTimeout(resolve, 5));
          },
          cancel: () => {
            cancelled += 1;
          },
        }),
      );
    }
    if (pathname === "/large") {
      const chunk = new Uint8Array(mebibyte).fill(97);
      let left = Number(searchParams.get("mebibytes"));
      return new Response(
        new ReadableStream({
          pull: (controller) => (left-- > 0 ? controller.enqueue(chunk) : controller.close()),
        }),
      );
    }
    return new Response("body", { headers });
  },
});

let gateway: TestGateway;
let small: TestGateway;

beforeAll(async () => {
  const target = { upstream: upstream.url.origin };
  const policies = {
    none: policy("none"),
    buffer: policy("buffer", reads("buffer", "buffer", 1000)),
    json: policy("json", reads("none", "buffer")),
    stream: policy("stream", reads("stream", "stream")),
    breaks: policy("breaks", reads("none", "stream")),
    spins: policy("spins", reads("none", "stream")),
    ignores: policy("ignores", reads("none", "stream")),
    state: policy("state"),
    plain: { type: "modules/plain.ts", options: {} },
    user: { type: "modules/user.ts", options: {} },
    signs: { type: "signs", options: {} },
    rejects: { type: "rejects", options: {} },
  };
  const signs = () => ({
    enter(context: { user?: unknown; keyId?: string; permissions?: readonly string[] }) {
      Object.assign(context, { user: { sub: "acme", data: { a: 1 } }, keyId: "key_1", permissions: ["read"] });
      return undefined;
    },
  });
  const artifact = artifactOf(
    [
      ...Object.keys(policies).map((name) => ({ path: `/${name}/{path+}`, method: "ANY", target, policies: [name] })),
      { path: "/both/{path+}", method: "ANY", target, policies: ["buffer", "json"] },
      { path: "/rejected/{path+}", method: "ANY", target, policies: ["none", "rejects"] },
      { path: "/signed/{path+}", method: "ANY", target, policies: ["signs", "user"] },
    ],
    { code, policies },
  );
  const builtIn = { signs, rejects: () => ({ enter: () => new HttpResponse(401) }) };
  gateway = new TestGateway({ policies: builtIn });
  small = new TestGateway({ policies: builtIn, memory: new BufferMemory(2000) });
  for (const one of [gateway, small]) await one.deploy("shop", artifact);
});

afterAll(async () => {
  await gateway.stop();
  await small.stop();
  await upstream.stop(true);
});

const send = (path: string, init: BunFetchRequestInit = {}, to = gateway) => to.fetch("shop", path, init);

describe("onResponse without bodies", () => {
  test("sees and changes status and headers; the body stays", async () => {
    const response = await send("/none/cookies?q=1");
    expect(response.status).toBe(203);
    expect(await response.text()).toBe("body");
    expect(JSON.parse(response.headers.get("x-seen")!)).toEqual({
      state: { started: "now", body: true },
      url: "http://shop.localhost/none/cookies?q=1",
      body: true,
    });
    expect(response.headers.getSetCookie()).toEqual(["first=1", "second=2", "third=3"]);
    expect(response.headers.has("x-internal")).toBe(false);
  });

  test("leaves a response unchanged, and replaces a body", async () => {
    const unchanged = await send("/none/x", { headers: { "x-unchanged": "1" } });
    expect([unchanged.status, await unchanged.text()]).toEqual([200, "body"]);
    expect([unchanged.headers.get("etag"), unchanged.headers.get("content-length")]).toEqual(['"1"', "4"]);
    const replaced = await send("/none/x", { headers: { "x-replace": "1" } });
    expect([replaced.status, await replaced.text()]).toEqual([202, "replaced"]);
    for (const name of ["etag", "content-digest"]) expect(replaced.headers.has(name)).toBe(false);
    expect(replaced.headers.get("x-internal")).toBe("1");
    // The code copies `content-encoding: gzip` and `content-length` from a response that it cannot read.
    const decoded = await send("/none/encoded", { headers: { "x-replace": "1" } });
    expect([decoded.headers.get("content-encoding"), await decoded.text()]).toEqual([null, "replaced"]);
  });

  test("a policy that reads an undeclared body fails with the reason in the log", async () => {
    const response = await send("/none/x", { headers: { "x-read": "1" } });
    expect(response.status).toBe(500);
    await until(() => gateway.entries.some(({ message }) => message?.includes('"body": {"response": "buffer"}')));
  });

  test.each([
    ["HEAD", "/none/x", 203],
    ["GET", "/none/empty?status=204", 204],
    ["GET", "/none/empty?status=304", 304],
    ["HEAD", "/buffer/x", 200],
    ["GET", "/stream/empty?status=204", 204],
  ])("%s %s has no body", async (method, path, status) => {
    const response = await send(path, { method, headers: { "x-pass": "1", "x-peek": "1" } });
    expect([response.status, await response.text()]).toEqual([status, ""]);
    expect(response.headers.get("etag")).toBe('"1"');
  });

  test("gets the rejection of a later policy, but not its own", async () => {
    const rejected = await send("/rejected/x");
    expect([rejected.status, rejected.headers.has("x-seen")]).toEqual([401, true]);
    const own = await send("/buffer/x", { headers: { "x-stop": "1" } });
    expect([own.status, await own.text()]).toEqual([403, "stopped"]);
  });

  test("a state of more than 4 KiB is an error in the log", async () => {
    expect((await send("/state/x")).status).toBe(500);
    await until(() => gateway.entries.some(({ message }) => message?.includes("context.state")));
  });

  test("is not called for a WebSocket", async () => {
    gateway.sandboxCalls.length = 0;
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/none/socket`, {
      headers: { host: "shop.localhost" },
    });
    const { promise: echoed, resolve } = Promise.withResolvers<string>();
    socket.addEventListener("open", () => socket.send("hello"));
    socket.addEventListener("message", ({ data }) => resolve(data));
    expect(await echoed).toBe("hello");
    expect(gateway.sandboxCalls).toEqual(["decide modules/none.ts"]);
    socket.close();
  });

  test("is not called if the client has disconnected", async () => {
    gateway.sandboxCalls.length = 0;
    const [before, records] = [upstreamRequests, gateway.requests.length];
    const controller = new AbortController();
    const sent = send("/none/hang", { signal: controller.signal }).catch(() => "aborted");
    await until(() => upstreamRequests > before);
    controller.abort();
    expect(await sent).toBe("aborted");
    await until(() => gateway.requests.slice(records).some(({ status }) => status === 499));
    expect(gateway.sandboxCalls).toEqual(["decide modules/none.ts"]);
  });
});

describe("buffered bodies", () => {
  test("are read and replaced on both ways", async () => {
    const response = await send("/buffer/echo", {
      method: "POST",
      body: "hello",
      headers: { "accept-encoding": "gzip" },
    });
    expect(await response.text()).toBe('{"body":"HELLO","encoding":"identity","length":"5"}!');
    for (const name of ["etag", "content-digest", "content-encoding"]) expect(response.headers.has(name)).toBe(false);
  });

  test("buffered bodies that code only reads are unchanged", async () => {
    const response = await send("/buffer/echo", { method: "POST", body: "hello", headers: { "x-peek": "1" } });
    expect(await response.json()).toMatchObject({ body: "hello", length: "5" });
    expect(response.headers.get("etag")).toBe('"1"');
  });

  test("can be removed from a request", async () => {
    const response = await send("/buffer/echo", { method: "POST", body: "hello", headers: { "x-drop": "1" } });
    expect(await response.text()).toContain('"body":""');
  });

  test("pass several policies", async () => {
    const response = await send("/both/echo", { method: "POST", body: "hello" });
    expect(await response.text()).toBe('{"body":"HELLO","encoding":"identity","length":"5","added":true}!');
  });

  test("larger than maxBytes: 413 and 502, and nothing reaches the upstream of the first", async () => {
    const before = upstreamRequests;
    const large = await send("/buffer/echo", { method: "POST", body: "x".repeat(1001) });
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, "body_too_large"]);
    expect(upstreamRequests).toBe(before);
    const answer = await send("/buffer/large?mebibytes=1");
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([502, "response_too_large"]);
  });

  test("an encoded response: 502", async () => {
    const response = await send("/buffer/encoded");
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([502, "response_unreadable"]);
  });

  test("more than the memory limit: 503, and accepted again afterwards", async () => {
    const full = await send("/buffer/echo", { method: "POST", body: "x".repeat(950) }, small);
    expect([full.status, ((await full.json()) as { code: string }).code]).toEqual([503, "buffers_full"]);
    expect(full.headers.get("retry-after")).toBe("1");
    for (let i = 0; i < 5; i++) {
      const response = await send("/buffer/echo", { method: "POST", body: "x".repeat(300) }, small);
      expect(response.status).toBe(200);
      await response.text();
    }
  });
});

describe("streamed bodies", () => {
  test("are changed chunk by chunk in both directions", async () => {
    const body = new ReadableStream({
      async start(controller) {
        for (const piece of ["one ", "two ", "three"]) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    });
    const response = await send("/stream/echo", { method: "POST", body });
    expect(await response.text()).toContain('"BODY":"ONE TWO THREE"');
    expect(response.headers.has("etag")).toBe(false);
  });

  test("pass unchanged if code returns nothing", async () => {
    const response = await send("/stream/echo", { method: "POST", body: "hello", headers: { "x-pass": "1" } });
    expect(await response.json()).toMatchObject({ body: "hello" });
    expect(response.headers.get("etag")).toBe('"1"');
  });

  // Its memory is measured by the torture part `bodies`, in processes of their own.
  test("may be larger than the sandbox's memory", async () => {
    const mebibytes = 400;
    const response = await send(`/stream/large?mebibytes=${mebibytes}`, { headers: { "x-pass": "1" } });
    let size = 0;
    for await (const chunk of response.body!) size += chunk.length;
    expect(size).toBe(mebibytes * mebibyte);
  });

  test.each([["/breaks/endless"], ["/stream/breaking"]])(
    "streamed bodies that fail abort the response: %s",
    async (path) => {
      const response = await send(path);
      expect(response.status).toBe(200);
      await expect(response.bytes()).rejects.toThrow();
    },
  );

  test("are aborted at the upstream when the client disconnects or code does not read them", async () => {
    const before = cancelled;
    const request = rawRequest("GET", "shop.localhost", "/stream/endless");
    await talk(gateway.port, request, (text) => text.length > 100_000);
    await until(() => cancelled > before);
    const own = await send("/ignores/endless");
    expect(await own.text()).toBe("own");
    await until(() => cancelled > before + 1);
  });
});

test("a policy is called once for each request, and once more if it has onResponse", async () => {
  gateway.sandboxCalls.length = 0;
  expect(await (await send("/plain/x")).text()).toBe("body");
  expect(gateway.sandboxCalls).toEqual(["decide modules/plain.ts"]);
  await (await send("/none/x")).text();
  expect(gateway.sandboxCalls.slice(1)).toEqual(["decide modules/none.ts", "respond modules/none.ts"]);
});

test("context.user has the key", async () => {
  expect(await (await send("/signed/x")).json()).toEqual({
    sub: "acme",
    data: { a: 1 },
    keyId: "key_1",
    permissions: ["read"],
  });
});

test("streams are aborted if the sandbox exits", async () => {
  const response = await send("/spins/endless");
  expect(response.status).toBe(200);
  await expect(response.bytes()).rejects.toThrow();
  await until(() => gateway.entries.some(({ message }) => message?.includes("busy")));
});
