import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { problemOf } from "../../src/client/middleware/guard.ts";
import { problems } from "../../src/client/middleware/problem.ts";
import { eachEngine } from "../support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { findGo, findPython } from "../support/other-languages.ts";
import { useServer } from "../support/server.ts";
import { adminToken } from "../support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import { goEnvironment, pythonEnvironment } from "./cases.ts";

const project = join(import.meta.dir, "../..");
const apps = join(import.meta.dir, "apps");
const frameworks = ["fastapi", "starlette", "flask", "django", "django asynchronous", "go"] as const;
type Framework = (typeof frameworks)[number];

/** Returns what verify-key says by the key of the request: `code-<code>`, or a valid one. */
const verifier = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { key } = (await request.json()) as { key: string };
    const code = /^code-(\w+)$/.exec(key)?.[1];
    const rateLimit = { limit: 9, remaining: 3, resetSeconds: 7 };
    const caller = { keyId: "key_1", consumer: { id: "csmr_1", name: "acme" }, user: { sub: "acme", data: {} } };
    return Response.json(
      code === undefined
        ? { valid: true, ...caller, expiresOn: null, rateLimit }
        : { valid: false, code, retryAfterSeconds: 7, rateLimit },
    );
  },
});
/** It keeps its port: another server would get that of one that has stopped. */
const closed = Bun.listen({
  port: 0,
  hostname: "127.0.0.1",
  socket: { open: (socket) => socket.terminate(), data() {} },
});
const closedUrl = `http://127.0.0.1:${closed.port}`;
const wrongToken = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => Response.json({ code: "unauthorized", detail: "No." }, { status: 401 }),
});

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("frameworks");
  await cp(join(apps, "go"), join(folder.path, "app"), { recursive: true });
  const module = join(folder.path, "app/go.mod");
  const replaced = (await Bun.file(module).text()).replace(/=> .*/, `=> ${join(project, "clients/go")}`);
  await Bun.write(module, replaced);
  const build = Bun.spawn([findGo("go"), "build", "-o", join(folder.path, "go-app"), "."], {
    cwd: join(folder.path, "app"),
    env: { ...process.env, ...goEnvironment(folder.path) },
    stderr: "pipe",
  });
  const errors = await build.stderr.text();
  expect(await build.exited, errors).toBe(0);
});
afterAll(async () => {
  closed.stop(true);
  await verifier.stop(true);
  await wrongToken.stop(true);
  await folder.remove();
});

type Get = (path: string, key?: string, headers?: Record<string, string>) => Promise<Response>;

/** The applications of a framework by the names of their options, in one process. */
async function start(framework: Framework, options: Record<string, object>) {
  const command =
    framework === "go" ? [join(folder.path, "go-app")] : [findPython(), join(apps, "python_app.py"), framework];
  const child = Bun.spawn(command, {
    env: { ...process.env, ...pythonEnvironment, MIDDLEWARE_OPTIONS: JSON.stringify(options) },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const started: Record<string, Get> = {};
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    const ports = [...output.matchAll(/"socket": ?"(\w+)", ?"port": ?(\d+)}\n/g)];
    for (const [, name, port] of ports)
      started[name!] = (path, key, headers = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
        });
    if (ports.length === Object.keys(options).length) break;
  }
  if (Object.keys(started).length === 0) throw new Error(await child.stderr.text());
  const stop = async () => {
    child.stdin.end();
    await child.exited;
  };
  return { started, stop };
}

describe.each(frameworks)("%s", (framework) => {
  let app: Record<string, Get>;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const usual = { url: verifier.url.href, token: "tgt_1", account: "default", bucket: "main", timeout: 60 };
    ({ started: app, stop } = await start(framework, {
      usual,
      otherHeader: { ...usual, header: "X-API-Key" },
      closed: { ...usual, url: closedUrl },
      closedAllow: { ...usual, url: closedUrl, on_unavailable: "allow" },
      wrongToken: { ...usual, url: wrongToken.url.href, on_unavailable: "allow" },
      brokenToken: { ...usual, token: "tgt_1\ntgt_2", on_unavailable: "allow" },
    }));
  });
  afterAll(() => stop());

  test("puts the caller on the request, and the state of its limit on the response", async () => {
    const response = await app.usual!("/forecast", "tg_1");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ access: { keyId: "key_1", consumer: { name: "acme" } } });
    expect(response.headers.get("ratelimit-remaining")).toBe("3");
  });

  test.each(Object.entries(problemOf))("rejects %s as the gateway does", async (code, problem) => {
    const response = await app.usual!("/forecast?a=1", `code-${code}`, { "x-request-id": "my-request" });
    const [status, detail] = problems[problem];
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("retry-after")).toBe("7");
    expect(response.headers.get("www-authenticate")).toBe(
      status === 401 ? 'Bearer realm="main", error="invalid_token"' : null,
    );
    expect(await response.json()).toMatchObject({
      type: `https://httpproblems.com/http-status/${status}`,
      status,
      detail,
      code: problem,
      instance: "/forecast",
      trace: { requestId: "my-request", timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    });
  });

  test("rejects a request without a key, and says what to send", async () => {
    const response = await app.usual!("/orders");
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="main"');
    expect(await response.json()).toMatchObject({ status: 401, code: "key_missing" });
    const basic = await app.usual!("/forecast", undefined, { authorization: "Basic eDp5" });
    expect(((await basic.json()) as { code: string }).code).toBe("key_missing");
  });

  test("takes the key from another header", async () => {
    expect((await app.otherHeader!("/forecast", undefined, { "x-api-key": "tg_1" })).status).toBe(200);
    const response = await app.otherHeader!("/forecast", "tg_1");
    expect(response.headers.get("www-authenticate")).toBe('ApiKey realm="main", header="x-api-key"');
  });

  test("rejects while the server is away, or lets pass without a caller", async () => {
    const response = await app.closed!("/forecast", "tg_1");
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(((await response.json()) as { code: string }).code).toBe("verification_unavailable");
    const passed = await app.closedAllow!("/forecast", "tg_1");
    expect(await passed.json()).toEqual({ access: null });
    expect((await app.closedAllow!("/forecast")).status).toBe(401);
  });

  test("answers 500 if its own token is wrong", async () => {
    const response = await app.wrongToken!("/forecast", "tg_1");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("tgt_1");
    // No request is sent: the server is not unavailable.
    expect((await app.brokenToken!("/forecast", "tg_1")).status).toBe(500);
  });
});

eachEngine((engine) => {
  const server = useServer(engine);

  test.each(frameworks)("64 concurrent requests never exceed a quota, in %s", async (framework) => {
    const { client } = server;
    const customerKey = framework.replace(" ", "-");
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, { meters: { requests: { max: 40 } } });
    await subscribe(client, bucket, [plan], { customerKey });
    const created = await client.post(`/v1/accounts/default/key-buckets/main/consumers`, {
      name: customerKey,
      apiKeys: [{ permissions: ["orders:read"] }],
    });
    const key = created.body.apiKeys[0].key;
    const consume = { bucketId: bucket.split("/").at(-1)!, meters: { requests: 1 } };
    const options = { url: server.url, token: adminToken, bucket: "main", timeout: 60, consume };
    const { started, stop } = await start(framework, { app: { ...options, account: "default" } });
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, index) => started.app!(index % 2 ? "/orders" : "/forecast", key)),
    );
    const statuses = responses.map(({ status }) => status);
    await stop();
    expect(statuses.filter((status) => status === 200).length).toBe(40);
    expect(statuses.filter((status) => status === 429).length).toBe(24);
  });

  test.each(frameworks)("with observe, nothing reaches the response, in %s", async (framework) => {
    const { client } = server;
    const bucketId = (await newMeteringBucket(client)).split("/").at(-1)!;
    const created = await client.post(`/v1/accounts/default/key-buckets/main/consumers`, {
      name: `observed-${framework.replace(" ", "-")}`,
      apiKeys: [{ rateLimit: { requests: 1, windowSeconds: 86_400 } }],
    });
    const key = created.body.apiKeys[0].key;
    const own = { url: server.url, token: adminToken, bucket: "main", timeout: 60, account: "default", observe: true };
    const consume = { bucketId, meters: { requests: 1 } };
    const { started, stop } = await start(framework, { observing: own, consuming: { ...own, consume } });
    const codes: (string | undefined)[] = [];
    for (const [name, path] of [
      ["consuming", "/forecast"],
      ["observing", "/orders"],
      ["observing", "/forecast"],
    ] as const) {
      const response = await started[name]!(path, key);
      expect([response.status, response.headers.get("ratelimit-limit"), response.headers.get("retry-after")]).toEqual([
        200,
        null,
        null,
      ]);
      codes.push(((await response.json()) as { access: { observed: { code: string } } }).access.observed.code);
    }
    expect(codes).toEqual(["no_subscription", "permission_missing", "rate_limited"]);
    const unknown = await started.observing!("/forecast", "tg_0123456789abcdef0123456789abcdef_7759b50e");
    await stop();
    expect(unknown.status).toBe(401);
  });
});
