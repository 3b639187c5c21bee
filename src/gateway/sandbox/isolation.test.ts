import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RunningCode, TestSandboxes } from "../../../test/support/sandboxes.ts";
import { Egress } from "../../platform/egress/egress.ts";

/** Attempts what the query names and returns the outcome. */
const tries = `
  const wanted = new URL(request.url).searchParams;
  try {
    if (wanted.has("fetch")) {
      const response = await fetch(wanted.get("fetch"), { redirect: wanted.get("redirect") ?? "follow", headers: { "x-tollgate-scheme": "ftp" } });
      return Response.json({ status: response.status, text: await response.text() });
    }
    if (wanted.has("import")) return Response.json({ imported: Object.keys(await import(wanted.get("import"))) });
    if (wanted.has("connect")) {
      const { connect } = await import("cloudflare:sockets");
      await connect(wanted.get("connect")).opened;
      return Response.json({ connected: true });
    }
    if (wanted.has("eval")) return Response.json({ evaluated: eval("1 + 1") });
    const { env } = await import("cloudflare:workers");
    const { env: processEnv } = await import("node:process");
    return Response.json({ env: Object.keys(env), processEnv: Object.keys(processEnv), process: typeof process, atTop });
  } catch (error) {
    return Response.json({ error: String(error) });
  }
`;

const upstream = Bun.serve({
  idleTimeout: 0,
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) =>
    request.url.endsWith("/away")
      ? Response.redirect("http://localhost:1/inside")
      : Response.json({
          reached: true,
          internal: [...request.headers.keys()].filter((name) => name.startsWith("x-tollgate")),
        }),
});

let open: TestSandboxes;
let closed: TestSandboxes;
let free: RunningCode;
let confined: RunningCode;
beforeAll(async () => {
  const atTop = `const atTop = { console: console.log.toString().includes("native"), cf: "cf" in Request.prototype };`;
  open = new TestSandboxes();
  closed = new TestSandboxes({ egress: new Egress("public") });
  free = await open.run(tries, atTop, { SECRET: "of the project" });
  confined = await closed.run(tries, atTop);
});
afterAll(async () => {
  await open.stop();
  await closed.stop();
  await upstream.stop(true);
});

async function attempt(code: RunningCode, query: Record<string, string>): Promise<Record<string, unknown>> {
  return (await code.handle(`/?${new URLSearchParams(query)}`)).json() as Promise<Record<string, unknown>>;
}

test("code finds no environment, no process and no internals of the runtime", async () => {
  expect(await attempt(free, {})).toEqual({
    env: [],
    processEnv: [],
    process: "undefined",
    atTop: { console: false, cf: false },
  });
});

test.each(["node:fs", "node:child_process", "node:net", "node:worker_threads", "file:///etc/passwd", "/etc/passwd"])(
  "code cannot import %s",
  async (name) => {
    expect((await attempt(free, { import: name })).error).toContain("No such module");
  },
);

test("code cannot read files, evaluate text or open sockets", async () => {
  expect((await attempt(free, { fetch: "file:///etc/passwd" })).error).toBeDefined();
  expect((await attempt(free, { eval: "1" })).error).toContain("Code generation from strings disallowed");
  expect((await attempt(free, { connect: `127.0.0.1:${upstream.port}` })).error).toContain("cannot connect");
});

test("in mode any, code can connect to any address", async () => {
  const response = await attempt(free, { fetch: upstream.url.href });
  expect(response).toEqual({ status: 200, text: '{"reached":true,"internal":[]}' });
  const dead = await attempt(free, { fetch: "http://127.0.0.1:1/" });
  expect(dead).toMatchObject({ status: 502, text: expect.stringContaining('"egress_failed"') });
});

test.each(["127.0.0.1", "localhost", "[::1]", "0x7f.1", "[::ffff:127.0.0.1]"])(
  "in mode public, code does not reach %s",
  async (host) => {
    const response = await attempt(confined, { fetch: `http://${host}:${upstream.port}/` });
    expect(response).toMatchObject({ status: 403, text: expect.stringContaining('"egress_refused"') });
  },
);

test("a redirect to a private address is checked like any other address", async () => {
  // The first address is allowed, by name; the redirect's is not.
  const half = new Egress(
    "public",
    { addresses: async (name) => (name === "out.test" ? ["127.0.0.1"] : ["10.0.0.1"]) },
    (address) => address === "127.0.0.1",
  );
  const sandboxes = new TestSandboxes({ egress: half });
  try {
    const code = await sandboxes.run(tries, "const atTop = {};");
    const url = `http://out.test:${upstream.port}/away`;
    expect(await attempt(code, { fetch: url, redirect: "manual" })).toMatchObject({ status: 302 });
    expect(await attempt(code, { fetch: url })).toMatchObject({
      status: 403,
      text: expect.stringContaining("localhost"),
    });
  } finally {
    await sandboxes.stop();
  }
});
