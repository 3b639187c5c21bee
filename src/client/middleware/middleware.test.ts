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
import { findWorkerd } from "../../gateway/sandbox/workerd-processes.ts";
import { Tollgate } from "../index.ts";
import { problems } from "./problem.ts";

const project = join(import.meta.dir, "../../..");
const apps = join(project, "test/support/middleware-apps");

// What verify-key returns does not depend on the engine.
const server = useServer(sqlite);
let folder: TemporaryFolder;
let client: Tollgate;
let metering: { id: string };
/** Accepts connections and never responds. */
const silent = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) });
const closed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
const closedPort = closed.port;

beforeAll(async () => {
  await closed.stop(true);
  folder = await projectWithClient("middleware", ["express", "fastify", "hono", "next", "react"]);
  client = new Tollgate({ url: server.url, token: adminToken });
  metering = await client.metering.create();
});
afterAll(async () => {
  await silent.stop(true);
  await folder.remove();
});

interface App {
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
}

/** The options of the middleware in each application of a process. */
type Apps<Value> = Record<
  | "usual"
  | "consuming"
  | "observing"
  | "otherHeader"
  | "closed"
  | "closedAllow"
  | "silent"
  | "silentAllow"
  | "wrongToken",
  Value
>;

/** The command that runs the applications of a framework. */
async function commandOf(framework: string, options: Apps<object>): Promise<string[]> {
  const app = framework === "deno" ? "hono" : framework;
  const file = join(folder.path, `${app}.mjs`);
  await copyFile(join(apps, `${app}.mjs`), file);
  if (framework === "workerd") return workerdCommand(file, options);
  if (framework === "deno") return denoCommand(file);
  return [framework === "hono" ? process.execPath : "node", file];
}

async function workerdCommand(file: string, options: Apps<object>): Promise<string[]> {
  const { outputs } = await Bun.build({ entrypoints: [file], target: "browser", root: folder.path });
  await writeFile(join(folder.path, "worker.js"), await outputs[0]!.text());
  const names = Object.keys(options);
  const workers = Object.entries(options).map(
    ([name, own]) => `const ${name} :Workerd.Worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      bindings = [(name = "OPTIONS", text = ${JSON.stringify(JSON.stringify(own))})],
      compatibilityDate = "2026-01-01"
    );`,
  );
  const internet = '(name = "internet", network = (allow = ["private", "public"]))';
  const services = names.map((name) => `(name = "${name}", worker = .${name})`);
  const sockets = names.map((name) => `(name = "${name}", address = "127.0.0.1:0", http = (), service = "${name}")`);
  const configuration = `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (services = [${[...services, internet]}], sockets = [${sockets}]);
    ${workers.join("\n")}`;
  await writeFile(join(folder.path, "workerd.capnp"), configuration);
  // Not the script of the package, which starts this program and leaves it running when it is killed.
  return [findWorkerd(), "serve", "--control-fd=1", "workerd.capnp", "config"];
}

/** Applications of the framework in a process of their own. */
async function start(framework: string, options: Apps<object>): Promise<Apps<App> & { stop(): Promise<void> }> {
  const child = Bun.spawn(await commandOf(framework, options), {
    cwd: folder.path,
    env: { ...process.env, MIDDLEWARE_OPTIONS: JSON.stringify(options) },
    stdout: "pipe",
    stderr: "ignore",
  });
  let output = "";
  const ports = () => [...output.matchAll(/"socket":"(\w+)","port":(\d+)/g)];
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (ports().length === Object.keys(options).length) break;
  }
  const started = ports().map(([, name, port]): [string, App] => [
    name!,
    {
      get: (path, key, headers = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, {
          headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
        }),
    },
  ]);
  return {
    ...(Object.fromEntries(started) as Apps<App>),
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
  let started: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    // A busy machine is not an unavailable server.
    const usual = { url: server.url, token: adminToken, account: "default", timeoutMs: 60_000, bucket };
    const unavailable = (port: number | undefined) => ({ ...usual, url: `http://127.0.0.1:${port}`, timeoutMs: 200 });
    started = await start(framework, {
      usual,
      consuming: { ...usual, consume: { bucketId: metering.id, meters: { requests: 1 } } },
      observing: { ...usual, observe: true, consume: { bucketId: metering.id, meters: { requests: 1 } } },
      otherHeader: { ...usual, header: "X-API-Key" },
      closed: unavailable(closedPort),
      closedAllow: { ...unavailable(closedPort), onUnavailable: "allow" },
      silent: unavailable(silent.port),
      silentAllow: { ...unavailable(silent.port), onUnavailable: "allow" },
      wrongToken: { ...usual, token: "tgt_0123456789abcdef0123456789abcdef_7759b50e", onUnavailable: "allow" },
      brokenToken: { ...usual, token: "tgt_1\ntgt_2", onUnavailable: "allow" },
    });
    app = started.usual;
  });
  afterAll(() => started.stop());

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

  test("observes a permission, a rate limit and a quota, and the response shows none of it", async () => {
    const { key } = await newKey(bucket, { rateLimit: { requests: 2, windowSeconds: 86_400 } });
    const codes: string[] = [];
    for (const path of ["/orders", "/forecast", "/forecast"]) {
      const response = await started.observing.get(path, key);
      expect([response.status, response.headers.get("ratelimit-limit")]).toEqual([200, null]);
      codes.push(((await response.json()) as { access: { observed: { code: string } } }).access.observed.code);
    }
    expect(codes).toEqual(["permission_missing", "no_subscription", "rate_limited"]);
    const unknown = await started.observing.get("/forecast", "tg_0123456789abcdef0123456789abcdef_7759b50e");
    await expectProblem(unknown, "key_invalid");
  });

  test("consumes from the plan of the consumer in the same call", async () => {
    const { name, key } = await newKey(bucket, { rateLimit: { requests: 3, windowSeconds: 3600 } });
    const planExternalId = `free-${framework}`;
    const plan = await client.plans(metering.id).create({
      label: "Free",
      planExternalId,
      meters: { requests: { max: 1 } },
    });
    const { consuming } = started;
    await expectProblem(await consuming.get("/forecast", key), "no_subscription");
    await client.subscriptions(metering.id).create({
      planIds: [plan.id],
      planExternalIds: [planExternalId],
      status: "active",
      type: "periodic",
      renewalStrategy: "monthly",
      region: "europe-west4",
      customerKey: name,
      subscriptionExternalId: `sub-${name}`,
      customerExternalId: name,
    });
    const response = await consuming.get("/forecast", key);
    expect(response.headers.get("ratelimit-remaining")).toBe("1");
    expect(await response.json()).toMatchObject({ access: { meters: { requests: { used: 1, available: 0 } } } });
    const rejected = await consuming.get("/forecast", key);
    expect(rejected.headers.get("ratelimit-limit")).toBe("3");
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
    await expectProblem(rejected, "quota_exceeded");
  });

  test("takes the key from another header", async () => {
    const { key } = await newKey(bucket);
    expect((await started.otherHeader.get("/forecast", undefined, { "x-api-key": key })).status).toBe(200);
    const response = await started.otherHeader.get("/forecast", key);
    expect(response.headers.get("www-authenticate")).toBe(`ApiKey realm="${bucket}", header="x-api-key"`);
    await expectProblem(response, "key_missing");
  });

  describe.each(["closed", "silent"] as const)("if the server is %s", (kind) => {
    test("rejects with 503 by default", async () => {
      const response = await started[kind].get("/forecast", "tg_any");
      expect(response.headers.get("retry-after")).toBe("1");
      await expectProblem(response, "verification_unavailable");
    });

    test("passes without a caller if onUnavailable is allow", async () => {
      const allowing = started[`${kind}Allow`];
      expect(await (await allowing.get("/forecast", "tg_any")).json()).toEqual({ access: null });
      await expectProblem(await allowing.get("/forecast"), "key_missing");
    });
  });

  test("a wrong token is an error of the application, also if onUnavailable is allow", async () => {
    const { key } = await newKey(bucket);
    expect((await started.wrongToken.get("/forecast", key)).status).toBe(500);
    expect((await started.brokenToken.get("/forecast", key)).status).toBe(500);
  });
});
