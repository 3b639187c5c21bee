import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestSandboxes } from "../../../test/support/sandboxes.ts";
import { until } from "../../../test/support/until.ts";
import type { ConsoleLine } from "./protocol.ts";

let sandboxes: TestSandboxes;
beforeAll(() => {
  sandboxes = new TestSandboxes();
});
afterAll(() => sandboxes.stop());

test("a handler sees the public request and its context, and no internals", async () => {
  const code = await sandboxes.run(
    `return Response.json({
      url: request.url, method: request.method, body: await request.text(), headers: [...request.headers.keys()],
      custom: request.headers.get("x-custom"), cf: typeof request.cf, user: context.user, params: context.params,
      requestId: context.requestId, route: context.route, environment: context.environment,
    }, { status: 201, headers: { "x-handled": "yes" } });`,
    "",
    { GREETING: "grüß" },
  );
  const response = await code.handle("/a%20b?c=d", {
    method: "POST",
    headers: { "x-custom": "1", "x-tollgate-call": "forged", "x-tollgate-public-scheme": "http" },
    body: new Blob(["hello"]).stream(),
    context: { user: { sub: "ümlaut", data: { plan: "日本" } }, params: { id: "7" } },
  });
  expect(response.status).toBe(201);
  expect(response.headers.get("x-handled")).toBe("yes");
  const seen = (await response.json()) as { headers: string[] };
  expect(seen).toMatchObject({
    url: "https://api.example/a%20b?c=d",
    method: "POST",
    body: "hello",
    custom: "1",
    cf: "undefined",
    user: { sub: "ümlaut", data: { plan: "日本" } },
    params: { id: "7" },
    requestId: "req_1",
    route: { path: "/x", method: "GET" },
    environment: { GREETING: "grüß" },
  });
  expect(seen.headers.filter((name) => name.startsWith("x-tollgate"))).toEqual([]);
});

test("an exception is reported with its position, and logged", async () => {
  const code = await sandboxes.run(`throw new RangeError("too far");`);
  for (const method of ["GET", "HEAD"]) {
    await expect(code.handle("/", { method })).rejects.toMatchObject({
      reason: "threw",
      message: expect.stringMatching(/^RangeError: too far\n.*code:/),
    });
  }
  const line = await until(() => code.lines[0]);
  expect(line).toMatchObject({ level: "error", requestId: "req_1", message: expect.stringContaining("too far") });
});

test.each([
  [`return "text";`, "returned a value of type string, not a Response"],
  ["", "returned undefined, not a Response"],
  ["await new Promise(() => {});", "can never respond"],
  [`const used = new Response("x"); await used.text(); return used;`, "body has been used"],
  [`return new Response("x", { status: 599, headers: { "x-tollgate-outcome": "proceed" } });`, "reserved"],
  [
    `const [client] = Object.values(new WebSocketPair()); return new Response(null, { status: 101, webSocket: client });`,
    "cannot accept WebSockets",
  ],
])("%p is no response", async (body, message) => {
  const code = await sandboxes.run(body);
  await expect(code.handle("/")).rejects.toMatchObject({ reason: "threw", message: expect.stringContaining(message) });
});

test("a policy continues, changes the head, responds or fails", async () => {
  const code = await sandboxes.run(`
    const wanted = request.headers.get("wanted");
    if (wanted === "change") {
      const headers = new Headers(request.headers);
      headers.set("x-added", String(context.options.limit));
      return new Request("https://api.example/other", { method: request.method, headers });
    }
    if (wanted === "respond") return new Response("no", { status: 418 });
    if (wanted === "wrong") return 7;
  `);
  expect(await code.decide()).toEqual({ proceed: undefined });
  expect(await code.decide({ method: "HEAD", headers: [["wanted", "change"]] })).toEqual({
    proceed: {
      method: "HEAD",
      url: "https://api.example/other",
      headers: [
        ["wanted", "change"],
        ["x-added", "3"],
      ],
    },
  });
  const decision = await code.decide({ headers: [["wanted", "respond"]] });
  expect("response" in decision && decision.response.status).toBe(418);
  await expect(code.decide({ headers: [["wanted", "wrong"]] })).rejects.toMatchObject({ reason: "threw" });
});

test.each([
  [`throw new Error("at the top");`, "at the top"],
  ["const a = ;", "Unexpected token"],
  [`import fs from "node:fs";`, "node:fs"],
])("code that does not load is not started: %s", async (before, message) => {
  await expect(sandboxes.run("", before)).rejects.toMatchObject({
    reason: "start",
    message: expect.stringMatching(new RegExp(`^(?!.*/tmp/).*${message}`, "s")),
  });
});

test("lines of code are logged with their level and request, also those of the top level", async () => {
  const code = await sandboxes.run(
    `console.log("plain", { a: 1n }, new Map([[1, 2]])); await 1; context.log.warn("warned"); console.error("x".repeat(9000));
     context.waitUntil(Promise.reject(new Error("later"))); return new Response();`,
    `console.debug("top");`,
  );
  await code.handle("/", { context: { requestId: "req_7" } });
  await until(() => code.lines.length === 5);
  expect(code.lines.slice(0, 3)).toEqual([
    { level: "debug", message: "top" },
    { level: "info", message: 'plain {"a":"1n"} [[1,2]]', requestId: "req_7" },
    { level: "warn", message: "warned", requestId: "req_7" },
  ]);
  expect(code.lines[3]!.message).toHaveLength(8 * 1024 + "… (cut)".length);
  expect(code.lines[4]).toMatchObject({ level: "error", message: expect.stringContaining("later") });
});

test.each([
  [`console.log("used");`, "req_1"],
  ["", undefined],
])("an unhandled rejection is logged, with its request where console is used: %p", async (first, requestId) => {
  const code = await sandboxes.run(`${first} Promise.reject(new Error("lost")); return new Response("x");`);
  await code.handle("/");
  const line = await until(() => code.lines.find(({ message }) => message.includes("lost")));
  expect([line.level, line.requestId]).toEqual(["error", requestId]);
});

test("lines of `context.log` are logged with the request too", async () => {
  const code = await sandboxes.run(`await 1; const { info } = context.log; info("logged"); return new Response("x");`);
  await code.handle("/");
  const line = await until(() => code.lines[0]);
  expect(line).toMatchObject({ level: "info", message: "logged", requestId: "req_1" });
});

test("a flood of lines is cut to a thousand a second", async () => {
  const code = await sandboxes.run(
    `for (let i = 0; i < 200_000; i += 1) console.log("line", i); return new Response("done");`,
  );
  expect(await (await code.handle("/")).text()).toBe("done");
  const isNote = ({ level, message }: ConsoleLine) => level === "warn" && message.includes("dropped");
  await until(() => code.lines.some(isNote));
  // On a busy machine the loop may cover two or three seconds.
  expect(code.lines.findIndex(isNote)).toBeGreaterThanOrEqual(1_000);
  expect(code.lines.length).toBeLessThan(10_000);
});
