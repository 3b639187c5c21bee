import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { eachEngine } from "./support/engines.ts";
import { createPlan, metersOf, newMeteringBucket, subscribe, unique } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { until } from "./support/until.ts";

const consumers = "/v1/accounts/default/key-buckets/main/consumers";
const max = 3;

/** What a deployment's upstream has received: method, path, headers and body of each request, by its id. */
const received = new Map<string, object>();

/** Its responses depend on the request alone. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const body = await request.text();
    const { "x-request-id": id, "x-forwarded-host": _, ...headers } = Object.fromEntries(request.headers);
    // A chunked body that has arrived before it is sent on gets a length, with or without policies.
    delete headers["content-length"];
    delete headers["transfer-encoding"];
    received.set(id!, { method: request.method, url: request.url, headers, body });
    const answer = JSON.stringify(body.includes("wrong") ? { item: 1 } : { item: "x".repeat(body.length) });
    if (!request.url.includes("streamed"))
      return new Response(answer, { headers: { "content-type": "application/json", "x-units": "1" } });
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(answer));
        controller.close();
      },
    });
    return new Response(stream, { headers: { "content-type": "application/json", "x-units": "1" } });
  },
});
afterAll(() => upstream.stop(true));

interface Decision {
  outcome: string;
  detail?: object;
}

type Mode = "enforce" | "observe" | "without";

/** The policies that can observe, each on a route of its own with the same path. */
function policiesOf(bucketId: string) {
  return {
    rate: { type: "rate-limit", options: { requests: max, windowSeconds: 3600 } },
    sliding: { type: "rate-limit", options: { requests: max, windowSeconds: 3600, window: "sliding" } },
    quota: { type: "quota", options: { bucketId, meters: { requests: 1 } } },
    usage: { type: "usage", options: { bucketId, meters: { units: { header: "x-units" } } } },
    reserved: {
      type: "usage",
      options: {
        bucketId,
        meters: { reserved: { pointer: "/nothing", default: 1 } },
        reserve: { reserved: { pointer: "/item", maximum: 1 } },
      },
    },
    addresses: { type: "ip-filter", options: { deny: ["127.0.0.1"] } },
    permission: { type: "permission", options: { permission: "orders:write" } },
    requests: { type: "size-limit", options: { requestBytes: 24 } },
    responses: { type: "size-limit", options: { responseBytes: 30 } },
    valid: { type: "validate", options: { response: "enforce" } },
    code: { type: "modules/deny.ts" },
    reader: { type: "modules/read.ts", body: { request: "buffer", maxBytes: 24 } },
    streamer: { type: "modules/change.ts", body: { request: "stream" } },
  };
}
type PolicyName = keyof ReturnType<typeof policiesOf>;
const names = Object.keys(policiesOf("main")) as PolicyName[];

const item = { type: "object", properties: { item: { type: "string", maxLength: 10 } } };

function projectOf(mode: Mode, bucketId: string) {
  const policies = Object.entries(policiesOf(bucketId)).map(([name, policy]) => [name, { ...policy, mode }]);
  const operation = (name: string) => ({
    "x-tollgate": { policies: mode === "without" ? ["key"] : ["key", name] },
    requestBody: { content: { "application/json": { schema: item } } },
    responses: { 200: { description: "", content: { "application/json": { schema: item } } } },
  });
  const paths = names.flatMap((name) => [
    [`post /${name}`, operation(name)],
    [`post /${name}/streamed`, operation(name)],
  ]);
  return {
    "openapi.json": openApi(Object.fromEntries(paths)),
    "tollgate.json": {
      upstream: upstream.url.origin,
      policies: {
        key: { type: "api-key", options: { bucket: "main" } },
        ...(mode === "without" ? {} : Object.fromEntries(policies)),
      },
    },
    ...(mode !== "without" && {
      // What it changes must not reach the target in `observe`.
      "modules/deny.ts": `export default (request) => {
        if (request.headers.has("x-deny")) return new Response("denied", { status: 418 });
        if (request.headers.has("x-throw")) throw new Error("broken");
        return undefined;
      };`,
      "modules/read.ts": `export default async (request) => {
        const text = await request.text();
        return text.includes("wrong") ? new Response("denied", { status: 403 }) : undefined;
      };`,
      "modules/change.ts": `export default async (request) => {
        const text = await request.text();
        if (text.includes("wrong")) return new Response("denied", { status: 403 });
        return new Request(request, { headers: { "x-changed": "yes" }, body: text + " changed" });
      };
      export const onResponse = () => new Response("changed");`,
    }),
  };
}

interface Sent {
  policy: PolicyName;
  body: string;
  isChunked: boolean;
  isStreamed: boolean;
  mayWrite: boolean;
  denies: boolean;
}

const bodies = fc.constantFrom(
  "{}",
  '{"item":"a"}',
  '{"item":"wrong"}',
  '{"item":"long enough to be too long"}',
  "[",
  "",
);
const requests = fc.array(
  fc.record<Sent>({
    policy: fc.constantFrom(...names),
    body: bodies,
    isChunked: fc.boolean(),
    isStreamed: fc.boolean(),
    mayWrite: fc.boolean(),
    denies: fc.boolean(),
  }),
  { minLength: 60, maxLength: 80 },
);

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const deployed = {} as Record<Mode, Deployed>;
  const buckets = {} as Record<Mode, string>;
  const plans = {} as Record<Mode, Awaited<ReturnType<typeof createPlan>>>;

  beforeAll(async () => {
    for (const mode of ["enforce", "observe", "without"] as const) {
      buckets[mode] = await newMeteringBucket(client);
      const meters = { requests: { max }, units: { max }, reserved: { max } };
      plans[mode] = await createPlan(client, buckets[mode], { meters });
      const bucketId = buckets[mode].split("/").at(-1)!;
      deployed[mode] = await deploy(server, { project: mode, branch: "main" }, projectOf(mode, bucketId));
    }
  });

  /** A new customer in each deployment, with a key that may write and one that may not. */
  async function newCustomer() {
    const name = unique("customer");
    await client.post(consumers, { name });
    const key = async (permissions: string[]) =>
      (await client.post(`${consumers}/${name}/keys`, { permissions })).body.key as string;
    const paths = {} as Record<Mode, string>;
    for (const mode of ["enforce", "observe"] as const) {
      const { id } = await subscribe(client, buckets[mode], [plans[mode]], { customerKey: name });
      paths[mode] = `${buckets[mode]}/subscriptions/${id}`;
    }
    return { name, paths, reader: await key([]), writer: await key(["orders:write"]) };
  }

  type Customer = Awaited<ReturnType<typeof newCustomer>>;

  const bytesOf = (text: string) =>
    new ReadableStream({
      start(controller) {
        for (const character of text) controller.enqueue(new TextEncoder().encode(character));
        controller.close();
      },
    });

  async function send(mode: Mode, customer: Customer, id: string, sent: Sent) {
    const { policy, body, isChunked, isStreamed, mayWrite, denies } = sent;
    const response = await deployed[mode].call(`/${policy}${isStreamed ? "/streamed" : ""}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${mayWrite ? customer.writer : customer.reader}`,
        "content-type": "application/json",
        "x-request-id": id,
        ...(denies && { "x-deny": "yes" }),
      },
      body: isChunked && body !== "" ? bytesOf(body) : body,
    });
    const { "x-request-id": _, date: __, ...headers } = Object.fromEntries(response.headers);
    // The connection of a response that is aborted closes before its end.
    const text = await response.text().catch(() => "aborted");
    return { status: response.status, headers, text };
  }

  /** The records of requests with these ids, by id. */
  async function recordsOf(mode: Mode, customer: Customer, count: number) {
    const path = `/v1/deployments/${deployed[mode].name}/requests?limit=1000&consumer=${customer.name}`;
    const { data } = await until(async () => {
      const { body } = await client.get(path);
      return body.data.length >= count ? body : undefined;
    });
    return new Map(data.map((record: { requestId: string }) => [record.requestId, record])) as Map<
      string,
      {
        status: number;
        code?: string;
        observed?: { policy: string; code: string; detail: object }[];
        decisions: Decision[];
      }
    >;
  }

  test("what observe records is what enforce rejects, and neither client nor target can tell", async () => {
    let run = 0;
    const sentTo: Partial<Record<PolicyName, number>> = {};
    const rejected: Partial<Record<PolicyName, number>> = {};
    await fc.assert(
      fc.asyncProperty(requests, async (sequence) => {
        const customer = await newCustomer();
        run += 1;
        const idOf = (mode: Mode, at: number) => `${mode}-${engine.name}-${run}-${customer.name}-${at}`;
        for (const [at, sent] of sequence.entries()) {
          await send("enforce", customer, idOf("enforce", at), sent);
          const observed = await send("observe", customer, idOf("observe", at), sent);
          const without = await send("without", customer, idOf("without", at), sent);
          expect(observed).toEqual(without);
          sentTo[sent.policy] = (sentTo[sent.policy] ?? 0) + 1;
          expect(received.get(idOf("observe", at))).toEqual(received.get(idOf("without", at))!);
        }
        const enforced = await recordsOf("enforce", customer, sequence.length);
        const records = await recordsOf("observe", customer, sequence.length);
        for (const [at, sent] of sequence.entries()) {
          const decision = enforced.get(idOf("enforce", at))!.decisions.at(-1)!;
          const record = records.get(idOf("observe", at))!;
          const isRejected = decision.outcome === "rejected";
          if (isRejected) rejected[sent.policy] = (rejected[sent.policy] ?? 0) + 1;
          const message = JSON.stringify({ sent, decision, record });
          expect([message, record.observed?.map(({ policy }) => policy) ?? []]).toEqual([
            message,
            isRejected ? [sent.policy] : [],
          ]);
          expect(record.decisions.at(-1)!.outcome).toBe(isRejected ? "observed" : "passed");
          const { code } = enforced.get(idOf("enforce", at))!;
          if (isRejected && code !== undefined) expect(record.observed![0]!.code).toBe(code);
        }
      }),
      { numRuns: 5 },
    );
    // Each policy has rejected something, and analytics count the same.
    expect(Object.keys(rejected).toSorted()).toEqual([...names].toSorted());
    const analytics = `/v1/deployments/${deployed.observe.name}/analytics`;
    const expected = Object.fromEntries(
      names.map((name) => [name, { requests: sentTo[name]!, observed: rejected[name]! }]),
    );
    let byPolicy = {};
    await until(async () => {
      byPolicy = countsOf((await client.get(`${analytics}?by=policy&limit=100`)).body.series);
      return Bun.deepEquals(byPolicy, expected) || undefined;
    }).catch(() => expect(byPolicy).toEqual(expected));
    const byRoute = countsOf((await client.get(`${analytics}?by=route&limit=100`)).body.series);
    for (const name of names) {
      const both = [byRoute[`/${name}`], byRoute[`/${name}/streamed`]];
      expect(both.reduce((sum, counts) => sum + (counts?.observed ?? 0), 0)).toBe(rejected[name]!);
    }
    const totals = (await client.get(analytics)).body.series[0].totals;
    const all = (counts: Partial<Record<PolicyName, number>>) =>
      Object.values(counts).reduce((sum, each) => sum + each, 0);
    expect(totals).toMatchObject({ requests: all(sentTo), observed: all(rejected), rejected: 0, errors: 0 });
  });

  test("usage is counted as a quota with overQuota allow counts it, and usage beyond the plan too", async () => {
    const customer = await newCustomer();
    const sent = { body: "{}", isChunked: false, isStreamed: false, mayWrite: true, denies: false };
    for (const policy of ["quota", "usage", "reserved"] as const)
      for (let at = 0; at < max + 2; at++)
        for (const mode of ["enforce", "observe"] as const)
          await send(mode, customer, `${mode}-${customer.name}-${policy}-${at}`, { ...sent, policy });
    const used = async (mode: Mode) => {
      const meters = await metersOf(client, customer.paths[mode]);
      return Object.values<{ used: number }>(meters).map((meter) => meter.used);
    };
    await until(async () => (await used("observe")).every((each) => each === max + 2));
    expect(await used("enforce")).toEqual([max, max, max]);
  });

  test("a policy that fails passes, has observed nothing, and its decision says so", async () => {
    const customer = await newCustomer();
    const response = await deployed.observe.call("/code", {
      method: "POST",
      headers: {
        authorization: `Bearer ${customer.writer}`,
        "x-throw": "yes",
        "x-request-id": `throw-${customer.name}`,
      },
    });
    expect(response.status).toBe(200);
    const [record] = [...(await recordsOf("observe", customer, 1)).values()];
    expect(record!.observed).toBeUndefined();
    expect(record!.decisions.at(-1)).toMatchObject({
      outcome: "passed",
      detail: { reason: "handler_failed", message: expect.stringContaining("broken") },
    });
    const path = `/v1/deployments/${deployed.observe.name}/analytics?policy=code&by=consumer`;
    expect(countsOf((await client.get(path)).body.series)[customer.name]).toBeUndefined();
  });

  test("requests are found by what would have rejected them", async () => {
    const customer = await newCustomer();
    const sent = { body: "{}", isChunked: false, isStreamed: false, mayWrite: false };
    await send("observe", customer, `code-${customer.name}`, { ...sent, policy: "code", denies: true });
    await send("observe", customer, `permission-${customer.name}`, { ...sent, policy: "permission", denies: false });
    await send("observe", customer, `valid-${customer.name}`, { ...sent, policy: "valid", denies: false });
    await recordsOf("observe", customer, 3);
    const found = async (observed: string) => {
      const path = `/v1/accounts/default/requests?consumer=${customer.name}&observed=${observed}`;
      return (await client.get(path)).body.data.map(({ observed: all }: { observed: object[] }) => all);
    };
    const permission = {
      policy: "permission",
      code: "permission_missing",
      detail: expect.objectContaining({ reason: "missing" }),
    };
    const code = { policy: "code", code: "policy_response", detail: { reason: "response", status: 418 } };
    expect(await found("true")).toEqual([[permission], [code]]);
    expect(await found("code")).toEqual([[code]]);
    expect(await found("valid")).toEqual([]);
    const path = `/v1/deployments/${deployed.observe.name}/analytics?policy=code&by=consumer&limit=100`;
    await until(async () => countsOf((await client.get(path)).body.series)[customer.name]?.observed === 1);
  });

  test("500 concurrent requests at a limit: those beyond it are observed, and all are served", async () => {
    const customer = await newCustomer();
    const sent = { body: "{}", isChunked: false, isStreamed: false, mayWrite: true, denies: false };
    for (const policy of ["quota", "rate"] as const) {
      const ids = Array.from({ length: 500 }, (_, at) => `many-${policy}-${customer.name}-${at}`);
      const responses = await Promise.all(ids.map((id) => send("observe", customer, id, { ...sent, policy })));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      const path = `/v1/deployments/${deployed.observe.name}/analytics?by=policy&consumer=${customer.name}`;
      const counts = await until(async () => {
        const found = countsOf((await client.get(path)).body.series)[policy];
        return found?.requests === 500 ? found : undefined;
      });
      expect(counts).toEqual({ requests: 500, observed: 500 - max });
    }
  });
});

function countsOf(series: { key: string; totals: { requests: number; observed: number } }[]) {
  return Object.fromEntries(series.map(({ key, totals: { requests, observed } }) => [key, { requests, observed }]));
}
