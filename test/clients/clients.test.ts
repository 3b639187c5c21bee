import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { eachEngine, sqlite } from "../support/engines.ts";
import { FaultyServer, type Treatment } from "../support/faulty-server.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { findGo, findPython } from "../support/other-languages.ts";
import { useServer } from "../support/server.ts";
import { adminToken } from "../support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";
import table from "./cases.json" with { type: "json" };
import { type ClientCase, ClientsOfAllLanguages, goEnvironment, pythonEnvironment } from "./cases.ts";

interface FaultyCase extends ClientCase {
  treatments: string[];
  result?: object | null;
  error?: object;
  pauses: number[];
  requests?: number | "several";
  idempotencyKey?: string;
  path?: string;
}

const problem = (status: number, code: string, more: object = {}) => ({
  status,
  body: { code, detail: `Rejected: ${code}.`, ...more },
  headers: { "x-request-id": "request-1" },
});
const after = (seconds: string | number, treatment: ReturnType<typeof problem>) => ({
  ...treatment,
  headers: { ...treatment.headers, "retry-after": String(seconds) },
});
const caller = { keyId: "key_1", consumer: { id: "csmr_1", name: "acme" }, user: { sub: "acme", data: {} } };

/** What the server does to a request, by the names in the table. */
const treatments: Record<string, Treatment> = {
  rateLimited: problem(429, "too_many_requests"),
  busyForTwoSeconds: after(2, problem(503, "storage_unavailable")),
  busyForMinutes: after(31, problem(503, "storage_unavailable")),
  busyUntilDate: after("Thu, 01 Jan 2099 00:00:00 GMT", problem(503, "storage_unavailable")),
  internal: problem(500, "internal_error"),
  invalid: problem(400, "validation_failed", { errors: [{ pointer: "/key", detail: "must not be empty" }] }),
  inProgress: after(1, problem(409, "request_in_progress")),
  notFound: problem(404, "not_found"),
  valid: { status: 200, body: { valid: true, ...caller, expiresOn: null } },
  settled: { status: 200, body: { holdId: "hold_1", meters: {}, periodEnd: "2026-02-01T00:00:00.000Z" } },
  ingested: { status: 200, body: { accepted: 1, duplicates: 0, rejected: [] } },
  partly: {
    status: 200,
    body: { accepted: 1, duplicates: 0, rejected: [{ index: 0, detail: "must be greater than 0" }] },
  },
  consumer: { status: 200, body: { id: "csmr_1", name: "acme" } },
  operator: { status: 200, body: { sub: "operator", role: "operator" } },
  nothing: { status: 204, body: "" },
  proxyError: { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" },
  page: { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Sign in</h1>" },
  redirect: { status: 307, headers: { location: "http://127.0.0.1:1/elsewhere" }, body: "" },
};

let clients: ClientsOfAllLanguages;
beforeAll(async () => {
  clients = await ClientsOfAllLanguages.build();
});
afterAll(() => clients.remove());

const languages = ["javascript", "python", "python asyncio", "go"] as const;

const idsOf = ({ body }: { body: string }) => (JSON.parse(body) as { id: string }[]).map(({ id }) => id);

describe.each(languages)("a server that fails on purpose, in %s", (language) => {
  const cases = table.faulty as FaultyCase[];
  const servers = cases.map(() => new FaultyServer());
  let outcomes: Awaited<ReturnType<(typeof clients.run)[typeof language]>>;
  beforeAll(async () => {
    for (const [index, server] of servers.entries()) {
      await server.start();
      server.setTreatments(...cases[index]!.treatments.map((name) => treatments[name] ?? (name as Treatment)));
    }
    outcomes = await clients.run[language](
      cases.map((one, index) => ({
        token: "tgt_1",
        ...one,
        ...(!one.treatments.includes("operator") && { account: "default" }),
        url: servers[index]!.url,
      })),
    );
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });

  test.each(cases.map(({ name }, index) => [name, index] as const))("%s", (_name, index) => {
    const { result, error, pauses, requests, idempotencyKey, path } = cases[index]!;
    const outcome = outcomes[index]!;
    if (error) expect(outcome.error).toMatchObject(error);
    else if (result === null) expect(outcome).toMatchObject({ pauses });
    else expect(outcome.result).toMatchObject(result!);
    expect(outcome.error === undefined).toBe(error === undefined);
    expect(outcome.pauses).toEqual(pauses);
    const received = servers[index]!.requests;
    if (requests !== "several") expect(received.length).toBe(requests ?? pauses.length + 1);
    const keys = new Set(received.map(({ headers }) => headers["idempotency-key"]));
    if (idempotencyKey === "none") expect([...keys]).toEqual([undefined]);
    else if (idempotencyKey === "random") expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    else if (idempotencyKey) expect([...keys]).toEqual([idempotencyKey]);
    if (cases[index]!.method === "reporter" && received.length > 0) {
      for (const one of received) expect(idsOf(one)).toEqual(idsOf(received[0]!));
      expect(new Set(idsOf(received[0]!)).size).toBe(JSON.parse(received[0]!.body).length);
    }
    if (path) expect(received[0]!.path).toBe(path);
    for (const { headers } of received) expect(headers.authorization).toBe("Bearer tgt_1");
  });
});

eachEngine((engine) => {
  describe.each(languages)("a real server, in %s", (language) => {
    const server = useServer(engine);
    const cases = table.real as (ClientCase & { result?: object; error?: object })[];
    let values: Record<string, string>;
    let outcomes: Awaited<ReturnType<(typeof clients.run)[typeof language]>>;
    const filled = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replace(/"\$(\w+)"/g, (_, name) => JSON.stringify(values[name])));

    beforeAll(async () => {
      const { client, clock } = server;
      const bucket = await newMeteringBucket(client);
      await subscribe(client, bucket, [await createPlan(client, bucket, { meters: { requests: { max: 10 } } })]);
      const bucketId = bucket.split("/").at(-1)!;
      const post = async (path: string, body: object) =>
        (await client.post(`/v1/accounts/default/key-buckets/main/${path}`, body)).body;
      const soon = new Date(clock.now() + 1000).toISOString();
      const acme = await post("consumers", {
        name: "acme",
        metadata: { city: "Zürich 🏔" },
        apiKeys: [{ permissions: ["orders:read"] }, { expiresOn: soon }, { isEnabled: false }],
      });
      const bound = await post("consumers", {
        name: "bound",
        apiKeys: [{ allowedIps: ["192.0.2.1"] }, { rateLimit: { requests: 1, windowSeconds: 86_400 } }],
      });
      clock.advance(2000);
      const [valid, expired, disabled] = acme.apiKeys.map(({ key }: { key: string }) => key);
      const hold = { bucketId, meters: { requests: 4 }, expiresInSeconds: 3600 };
      const { holdId } = await post("verify-key", { key: valid, hold });
      values = {
        bucketId,
        valid,
        expired,
        disabled,
        bound: bound.apiKeys[0].key,
        limited: bound.apiKeys[1].key,
        holdId,
        long: "ä".repeat(500_000),
      };
      outcomes = await clients.run[language](
        filled(cases).map((one) => ({ token: adminToken, retries: 0, ...one, url: server.url })),
      );
    });

    test.each(cases.map(({ name }, index) => [name, index] as const))("%s", (_name, index) => {
      const { result, error } = filled(cases[index]!);
      const outcome = outcomes[index]!;
      if (error) expect(outcome.error).toMatchObject(error);
      else expect(outcome).toMatchObject({ result });
    });
  });
});

describe("the programs of docs/client.md", () => {
  const server = useServer(sqlite);
  const project = join(import.meta.dir, "../..");
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder("client-document");
  });
  afterAll(() => folder.remove());

  const block = async (start: string) =>
    new RegExp(`\`\`\`${start}[\\s\\S]*?)\`\`\``)
      .exec(await Bun.file(join(project, "docs/client.md")).text())![1]!
      .replaceAll("http://127.0.0.1:8787", server.url);
  const run = (...command: string[]) => {
    const env = { ...process.env, ...pythonEnvironment, ...goEnvironment(folder.path), TOLLGATE_TOKEN: adminToken };
    const { stdout, stderr } = Bun.spawn(command, { cwd: folder.path, env, stdout: "pipe", stderr: "pipe" });
    return Promise.all([stdout.text(), stderr.text()]);
  };

  test("the program in Python works", async () => {
    await Bun.write(join(folder.path, "program.py"), await block("python\n("));
    expect(await run(findPython(), "program.py")).toEqual([
      expect.stringMatching(/^initech\n409 consumer_exists .*\n1 subject has no active subscription here\n$/),
      "",
    ]);
  });

  test("the program in Go works, with the two lines of its module", async () => {
    await cp(join(project, "clients/go"), join(folder.path, "clients/go"), { recursive: true });
    const lines = await block("\n(require ");
    await Bun.write(join(folder.path, "go.mod"), `module example.com/program\n\ngo 1.19\n\n${lines}`);
    await Bun.write(join(folder.path, "main.go"), await block("go\n("));
    expect(await run(findGo(), "run", ".")).toEqual([
      expect.stringMatching(/^hooli\n409 consumer_exists .*\n1 subject has no active subscription here\n$/),
      "",
    ]);
  });
});
