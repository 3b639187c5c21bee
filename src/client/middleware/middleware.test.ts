import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectWithClient } from "../../../test/support/client-package.ts";
import { denoCommand } from "../../../test/support/deno.ts";
import { sqlite } from "../../../test/support/engines.ts";
import { useServer } from "../../../test/support/server.ts";
import { adminToken } from "../../../test/support/server-settings.ts";
import type { TemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { catalogue } from "../../core/problems/catalogue.ts";
import { findWorkerd } from "../../gateway/sandbox/workerd-binary.ts";
import { Tollgate } from "../index.ts";
import { problems } from "./problem.ts";

const project = join(import.meta.dir, "../../..");
const apps = join(project, "test/support/middleware-apps");

// What verify-key returns does not depend on the engine.
const server = useServer(sqlite);
let folder: TemporaryFolder;
let client: Tollgate;

beforeAll(async () => {
  folder = await projectWithClient("middleware", ["express", "fastify", "hono", "next", "react"]);
  client = new Tollgate({ url: server.url, token: adminToken });
});
afterAll(() => folder.remove());

interface App {
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/** The command that runs the application of a framework. */
async function commandOf(framework: string, options: string): Promise<string[]> {
  const app = framework === "deno" ? "hono" : framework;
  const file = join(folder.path, `${app}.mjs`);
  await copyFile(join(apps, `${app}.mjs`), file);
  if (framework === "workerd") return workerdCommand(file, options);
  if (framework === "deno") return denoCommand(file);
  return [framework === "hono" ? process.execPath : "node", file];
}

async function workerdCommand(file: string, options: string): Promise<string[]> {
  const { outputs } = await Bun.build({ entrypoints: [file], target: "browser", root: folder.path });
  const name = `worker-${crypto.randomUUID()}`;
  await writeFile(join(folder.path, `${name}.js`), await outputs[0]!.text());
  const configuration = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private", "public"]))],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
    );
    const main :Workerd.Worker = (
      modules = [(name = "worker", esModule = embed "${name}.js")],
      bindings = [(name = "OPTIONS", text = ${JSON.stringify(options)})],
      compatibilityDate = "2026-01-01"
    );`;
  await writeFile(join(folder.path, `${name}.capnp`), configuration);
  // Not the script of the package, which starts this program and leaves it running when it is killed.
  return [findWorkerd(), "serve", "--control-fd=1", `${name}.capnp`];
}

/** An application of the framework in a process of its own; `options` are those of the middleware. */
async function start(framework: string, options: object): Promise<App> {
  // A busy machine is not an unavailable server.
  const usual = { url: server.url, token: adminToken, account: "default", timeoutMs: 60_000 };
  const settings = JSON.stringify({ ...usual, ...options });
  const child = Bun.spawn(await commandOf(framework, settings), {
    cwd: folder.path,
    env: { ...process.env, MIDDLEWARE_OPTIONS: settings },
    stdout: "pipe",
    stderr: "ignore",
  });
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (output.includes("\n")) break;
  }
  // workerd prints a line of JSON, the others their port.
  const port = /"port":(\d+)/.exec(output)?.[1] ?? output.trim();
  const address = `http://127.0.0.1:${port}`;
  return {
    get: (path, key, headers = {}) =>
      fetch(address + path, { headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers } }),
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}

/** A key of a new consumer in a bucket. */
async function newKey(bucket: string, rules: object = {}) {
  const name = `consumer-${crypto.randomUUID()}`;
  const { apiKeys } = await client.consumers(bucket).create({ name, apiKeys: [rules] });
  return { name, id: apiKeys![0]!.id, key: apiKeys![0]!.key! };
}

async function expectProblem(response: Response, code: keyof typeof problems): Promise<void> {
  const [status, detail] = problems[code];
  expect(response.headers.get("content-type")).toStartWith("application/problem+json");
  const requestId = response.headers.get("x-request-id");
  expect(await response.json()).toMatchObject({ status, detail, code, instance: "/forecast", trace: { requestId } });
  expect(response.status).toBe(status);
}

test("the problems are those of the gateway", () => {
  const { verification_unavailable, ...shared } = problems;
  expect(verification_unavailable[0]).toBe(503);
  for (const [code, [status, text]] of Object.entries(shared))
    expect({ code, status, text }).toEqual({ code, ...catalogue[code as keyof typeof shared] });
});

describe.each(["express", "fastify", "hono", "next", "workerd", "deno"])("%s", (framework) => {
  const bucket = `middleware-${framework}`;
  let app: App;
  beforeAll(async () => {
    app = await start(framework, { bucket });
  });
  afterAll(() => app.stop());

  test("puts the caller on the request", async () => {
    const { name, id, key } = await newKey(bucket, { permissions: ["orders:read"] });
    for (const path of ["/forecast", "/orders"]) {
      const response = await app.get(path, key);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        access: { keyId: id, consumer: { name }, user: { sub: name }, permissions: ["orders:read"] },
      });
    }
  });

  test("does not guard routes before it", async () => {
    expect((await app.get("/free")).status).toBe(200);
  });

  test("rejects a request without a key, and says what to send", async () => {
    const response = await app.get("/forecast?a=1", undefined, { "x-request-id": "my-request" });
    expect(response.headers.get("www-authenticate")).toBe(`Bearer realm="${bucket}"`);
    expect(response.headers.get("x-request-id")).toBe("my-request");
    await expectProblem(response, "key_missing");
    const { key } = await newKey(bucket);
    await expectProblem(await app.get("/forecast", undefined, { authorization: `Basic ${key}` }), "key_missing");
  });

  test("rejects what is no key", async () => {
    const response = await app.get("/forecast", "tg_0123456789abcdef0123456789abcdef_7759b50e");
    expect(response.headers.get("www-authenticate")).toBe(`Bearer realm="${bucket}", error="invalid_token"`);
    await expectProblem(response, "key_invalid");
  });

  test("caches nothing: a disabled key is rejected by the next request", async () => {
    const { name, id, key } = await newKey(bucket);
    expect((await app.get("/forecast", key)).status).toBe(200);
    await client.keys(bucket, name).update(id, { isEnabled: false });
    await expectProblem(await app.get("/forecast", key), "key_disabled");
    await client.keys(bucket, name).update(id, { isEnabled: true });
    expect((await app.get("/forecast", key)).status).toBe(200);
  });

  test("rejects a key without the permission of the route", async () => {
    const { key } = await newKey(bucket, { permissions: ["invoices:read"] });
    const response = await app.get("/orders", key);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "permission_missing", instance: "/orders" });
    expect((await app.get("/forecast", key)).status).toBe(200);
  });

  test("checks the client address", async () => {
    const here = await newKey(bucket, { allowedIps: ["127.0.0.1"] });
    const elsewhere = await newKey(bucket, { allowedIps: ["192.0.2.1"] });
    expect((await app.get("/forecast", here.key)).status).toBe(200);
    await expectProblem(await app.get("/forecast", elsewhere.key), "ip_not_allowed");
  });

  test("rejects above the key's rate limit, and says when to retry", async () => {
    const { key } = await newKey(bucket, { rateLimit: { requests: 1, windowSeconds: 60 } });
    expect((await app.get("/forecast", key)).status).toBe(200);
    const response = await app.get("/forecast", key);
    expect(Number(response.headers.get("retry-after"))).toBeWithin(1, 61);
    await expectProblem(response, "rate_limited");
  });

  test("consumes from the plan of the consumer in the same call", async () => {
    const { name, key } = await newKey(bucket, { rateLimit: { requests: 3, windowSeconds: 3600 } });
    const metering = await client.metering.create();
    const consume = { bucketId: metering.id, meters: { requests: 1 } };
    const plan = await client.plans(metering.id).create({
      label: "Free",
      planExternalId: "free",
      meters: { requests: { max: 1 } },
    });
    const other = await start(framework, { bucket, consume });
    try {
      await expectProblem(await other.get("/forecast", key), "no_subscription");
      await client.subscriptions(metering.id).create({
        planIds: [plan.id],
        planExternalIds: ["free"],
        status: "active",
        type: "periodic",
        renewalStrategy: "monthly",
        region: "europe-west4",
        customerKey: name,
        subscriptionExternalId: `sub-${name}`,
        customerExternalId: name,
      });
      const response = await other.get("/forecast", key);
      expect(response.headers.get("ratelimit-remaining")).toBe("1");
      expect(await response.json()).toMatchObject({ access: { meters: { requests: { used: 1, available: 0 } } } });
      const rejected = await other.get("/forecast", key);
      expect(rejected.headers.get("ratelimit-limit")).toBe("3");
      expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
      await expectProblem(rejected, "quota_exceeded");
    } finally {
      await other.stop();
    }
  });

  test("takes the key from another header", async () => {
    const { key } = await newKey(bucket);
    const other = await start(framework, { bucket, header: "X-API-Key" });
    try {
      expect((await other.get("/forecast", undefined, { "x-api-key": key })).status).toBe(200);
      const response = await other.get("/forecast", key);
      expect(response.headers.get("www-authenticate")).toBe(`ApiKey realm="${bucket}", header="x-api-key"`);
      await expectProblem(response, "key_missing");
    } finally {
      await other.stop();
    }
  });

  describe.each(["closed", "silent"])("if the server is %s", (kind) => {
    let url: string;
    let silent: ReturnType<typeof Bun.serve> | undefined;
    beforeAll(async () => {
      silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
      url = `http://127.0.0.1:${silent.port}`;
      if (kind === "closed") await silent.stop(true);
    });
    afterAll(() => silent?.stop(true));

    test("rejects with 503 by default", async () => {
      const rejecting = await start(framework, { bucket, url, timeoutMs: 200 });
      try {
        const response = await rejecting.get("/forecast", "tg_any");
        expect(response.headers.get("retry-after")).toBe("1");
        await expectProblem(response, "verification_unavailable");
      } finally {
        await rejecting.stop();
      }
    });

    test("passes without a caller if onUnavailable is allow", async () => {
      const allowing = await start(framework, { bucket, url, timeoutMs: 200, onUnavailable: "allow" });
      try {
        const response = await allowing.get("/forecast", "tg_any");
        expect(await response.json()).toEqual({ access: null });
        await expectProblem(await allowing.get("/forecast"), "key_missing");
      } finally {
        await allowing.stop();
      }
    });
  });

  test("a wrong token is an error of the application, also if onUnavailable is allow", async () => {
    const { key } = await newKey(bucket);
    const token = "tgt_0123456789abcdef0123456789abcdef_7759b50e";
    const misconfigured = await start(framework, { bucket, token, onUnavailable: "allow" });
    try {
      expect((await misconfigured.get("/forecast", key)).status).toBe(500);
    } finally {
      await misconfigured.stop();
    }
  });
});
