import { hash } from "node:crypto";
import { deploy } from "./deployment.ts";
import { generateKey } from "./generated-key.ts";
import { guards } from "./guarded.ts";
import type { LoadPlan, SlotSource } from "./load-plan.ts";
import { usualTurn } from "./measure.ts";
import { meter } from "./metering.ts";
import { analyze, newPostgresDatabase, databaseProcessId as processIdOf } from "./postgres.ts";
import { progress } from "./progress.ts";
import { adminToken, call, type RunningServer, startServer } from "./server.ts";
import { openBenchStorage } from "./storage.ts";
import type { Workspace } from "./workspace.ts";

const customerCount = 10_000;
export const activeCustomers = 5_000;
const planCount = 40;
const rejectedShare = 0.03;
const keysPath = "/v1/accounts/default/key-buckets/bench";
const plentiful = 1_000_000_000;

/** A business as it is: many customers with a key and a subscription to one of some plans. */
export interface World {
  readonly dataDirectory: string;
  readonly environment: Record<string, string>;
  /** The process whose CPU time counts too. */
  readonly databaseProcessId: number | undefined;
  readonly meteringId: string;
  readonly keys: readonly string[];
  readonly subscriptionIds: readonly string[];
}

export async function createWorld(dataDirectory: string, engine: "SQLite" | "PostgreSQL"): Promise<World> {
  progress(`world: seeding ${customerCount.toLocaleString("en")} customers on ${engine}`);
  const environment: Record<string, string> = engine === "SQLite" ? {} : await newPostgresDatabase();
  const { meteringId, key } = await createFirst(dataDirectory, environment);
  const customers = await copyFirst(dataDirectory, environment.DATABASE_URL, key);
  if (environment.DATABASE_URL) await analyze(environment.DATABASE_URL, ["consumers", "api_keys", "subscriptions"]);
  return {
    dataDirectory,
    environment,
    databaseProcessId: environment.DATABASE_URL ? await processIdOf(environment.DATABASE_URL) : undefined,
    meteringId,
    keys: customers.map(({ key }) => key),
    subscriptionIds: customers.map(({ id }) => id),
  };
}

/** The first customer and all plans. */
async function createFirst(dataDirectory: string, environment: Record<string, string>) {
  await using server = await startServer(dataDirectory, environment);
  const name = customerName(0);
  const consumer = await call<{ apiKeys: { key: string }[] }>(
    server,
    "POST",
    `${keysPath}/consumers?with-api-key=true`,
    { name },
  );
  const { id: meteringId } = await call<{ id: string }>(server, "POST", "/v1/metering");
  const planIds: string[] = [];
  for (let plan = 0; plan < planCount; plan++) {
    const planned = await call<{ id: string }>(server, "POST", `/v1/metering/${meteringId}/plans`, {
      label: `Plan ${plan}`,
      planExternalId: `plan-${plan}`,
      meters: { [meter]: { max: plentiful }, bytes: { max: plentiful }, tokens: { max: plentiful } },
    });
    planIds.push(planned.id);
  }
  await call(server, "POST", `/v1/metering/${meteringId}/subscriptions`, {
    planIds: planIds.slice(0, 1),
    planExternalIds: ["plan-0"],
    status: "active",
    type: "periodic",
    renewalStrategy: "monthly",
    region: "us-east1",
    customerKey: name,
    subscriptionExternalId: name,
    customerExternalId: name,
  });
  return { meteringId, key: consumer.apiKeys[0]!.key };
}

/** With the server stopped, the rows of the first customer are copied for the others. */
async function copyFirst(dataDirectory: string, databaseUrl: string | undefined, firstKey: string) {
  const storage = await openBenchStorage(dataDirectory, { databaseUrl });
  const first = async (table: string) => (await storage.reads.one<object>(`SELECT * FROM ${table} LIMIT 1`, []))!;
  const [consumer, key, subscription, link] = [
    await first("consumers"),
    await first("api_keys"),
    await first("subscriptions"),
    await first("subscription_plans"),
  ];
  const plans = await storage.reads.all<{ seq: number }>("SELECT seq FROM plans ORDER BY seq", []);
  const prefix = firstKey.slice(0, firstKey.indexOf("_"));
  const customers = [{ id: (subscription as { id: string }).id, key: firstKey }];
  for (let from = 1; from < customerCount; from += 1_000) {
    const indexes = Array.from({ length: Math.min(1_000, customerCount - from) }, (_, index) => from + index);
    const copies = indexes.map((index) => ({
      index,
      seq: index + 1,
      name: customerName(index),
      key: generateKey(prefix),
    }));
    const copied = (original: object, change: (copy: (typeof copies)[number]) => object) =>
      copies.map((copy) => ({ ...original, ...change(copy) })) as never[];
    const idOf = (kind: string, name: string) => `${kind}_world_${name}`;
    await storage.write(async (transaction) => {
      const { insertAll } = transaction;
      await insertAll(
        "consumers",
        copied(consumer, ({ seq, name }) => ({ seq, name, id: idOf("csmr", name) })),
      );
      const keyColumns = (value: string) => ({ hash: hash("sha256", value, "buffer"), suffix: value.slice(-8) });
      await insertAll(
        "api_keys",
        copied(key, ({ seq, name, key }) => ({ seq, id: idOf("key", name), consumer_seq: seq, ...keyColumns(key) })),
      );
      await insertAll(
        "subscriptions",
        copied(subscription, ({ seq, name }) => ({
          seq,
          id: idOf("sbsc", name),
          customer_key: name,
          external_id: name,
          customer_external_id: name,
        })),
      );
      await insertAll(
        "subscription_plans",
        copied(link, ({ seq, index }) => ({ subscription_seq: seq, plan_seq: plans[index % planCount]!.seq })),
      );
    });
    for (const { name, key } of copies) customers.push({ id: idOf("sbsc", name), key });
  }
  await storage.close();
  return customers;
}

export function customerName(index: number): string {
  return `customer-${String(index).padStart(5, "0")}`;
}

/** Draws active customers by Zipf's law, always in the same order. */
export class Draw {
  static readonly #sums = Draw.#sumsOf(activeCustomers);
  #state = 42;

  static #sumsOf(count: number): Float64Array {
    const sums = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; rank++) sums[rank] = sum += 1 / (rank + 1);
    return sums.map((each) => each / sum);
  }

  customer(): number {
    const at = this.share();
    let [low, high] = [0, activeCustomers - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Draw.#sums[middle]! < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  customers(count: number): number[] {
    const drawn = new Set<number>();
    while (drawn.size < count) drawn.add(this.customer());
    return [...drawn];
  }

  get isRejected(): boolean {
    return this.share() < rejectedShare;
  }

  /** A number from 0 to 1, by a linear congruential generator. */
  share(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }
}

export const unknownKey = generateKey("tgt");

const resources = Array.from(
  { length: 50 },
  (_, index) => `${["orders", "items", "users", "files", "events"][index % 5]}-${index}`,
);
const shapes = [
  "",
  "/{id}",
  "/search",
  "/{id}/lines",
  "/{id}/lines/{line}",
  "/{id}/status",
  "/{id}/notes",
  "/{id}/notes/{note}",
  "/export",
  "/{id}/history",
];

/** An OpenAPI document of 500 routes with parameters and schemas. */
function worldApi(policies: string[]) {
  const schema = {
    type: "object",
    properties: {
      id: { type: "string" },
      total: { type: "number" },
      tags: { type: "array", items: { type: "string" } },
    },
  };
  const paths = resources.flatMap((resource) =>
    shapes.map((shape) => {
      const path = `/v1/${resource}${shape}`;
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      }));
      const inQuery = ["limit", "cursor"].map((name) => ({ name, in: "query", schema: { type: "string" } }));
      const responses = { 200: { description: "OK", content: { "application/json": { schema } } } };
      return [path, { get: { parameters: [...inPath, ...inQuery], responses, "x-tollgate": { policies } } }];
    }),
  );
  return { openapi: "3.1.0", info: { title: "World", version: "1" }, paths: Object.fromEntries(paths) };
}

/** A path of one of the routes, with values and a query. */
export function worldPath(draw: Draw): string {
  const shape = shapes[Math.floor(draw.share() * shapes.length)]!;
  const resource = resources[Math.floor(draw.share() * resources.length)]!;
  const number = Math.floor(draw.share() * 1_000_000);
  return `/v1/${resource}${shape.replaceAll(/\{\w+\}/g, String(number))}?limit=50&cursor=${number}`;
}

/** What a browser sends. */
export const browserHeaders: Record<string, string> = {
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
  Accept: "application/json, text/plain, */*",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "en-GB,en;q=0.9,de;q=0.8",
  "Cache-Control": "no-cache",
  Cookie: "session=4f6c1e0b9a2d4c77; theme=dark; consent=eyJhbmFseXRpY3MiOmZhbHNlfQ",
  DNT: "1",
  Origin: "https://app.example.com",
  Pragma: "no-cache",
  Priority: "u=1, i",
  Referer: "https://app.example.com/orders?page=3",
  "Sec-CH-UA": '"Chromium";v="140", "Not=A?Brand";v="24"',
  "Sec-CH-UA-Mobile": "?0",
  "Sec-CH-UA-Platform": '"Linux"',
  "Sec-Fetch-Dest": "empty",
  "Sec-Fetch-Mode": "cors",
  "Sec-Fetch-Site": "same-site",
  "X-Request-Id": "0193a6b2-7c1f-7d35-9a51-0e2f8f3c9d11",
  Traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
};

export interface WholeRequest {
  method: string;
  path: string;
  host?: string;
  token?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** Whole requests as records of one width, which a header fills. */
function recordsOf(requests: readonly WholeRequest[]): { text: string; width: number } {
  // The query of a path takes what is missing to the width: clients send the same headers for many paths.
  const longest = Math.max(...requests.map(({ path }) => path.length));
  const widened = (path: string) => (path.includes("?") ? path.padEnd(longest, "0") : path);
  const rendered = requests.map(({ method, path, host = "127.0.0.1", token = adminToken, headers = {}, body }) => {
    const lines = [`${method} ${widened(path)} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (body !== undefined) lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
    return { head: lines.join("\r\n"), body: body ?? "" };
  });
  const size = ({ head, body }: { head: string; body: string }) => head.length + body.length;
  const largest = Math.max(...rendered.map(size));
  const records = rendered.map(
    (each) => `${each.head}\r\nX-Pad: ${"0".repeat(1 + largest - size(each))}\r\n\r\n${each.body}`,
  );
  return { text: records.join(""), width: records[0]!.length };
}

/** A plan of load that sends whole requests. */
export async function planOf(
  workspace: Workspace,
  name: string,
  requests: readonly WholeRequest[],
  more: Partial<LoadPlan> = {},
): Promise<LoadPlan & { slots: SlotSource }> {
  const file = `${workspace.newDirectory(name)}.slots`;
  const { text, width } = recordsOf(requests);
  await Bun.write(file, text);
  const slots = { file, width, order: "rotate" as const, isWhole: true };
  return { ...usualTurn, method: "", path: "", rejectedStatus: 401, slots, ...more };
}

/** Deploys the 500 routes, each with a key, a quota and a rate limit. Returns the host. */
export async function deployWorld(server: RunningServer, { meteringId }: World, upstreamPort: number): Promise<string> {
  const { host } = await deploy(server, "world", {
    "openapi.json": worldApi(guards),
    "tollgate.json": {
      upstream: `http://127.0.0.1:${upstreamPort}`,
      policies: {
        key: { type: "api-key", options: { bucket: "bench" } },
        quota: { type: "quota", options: { bucketId: meteringId, meters: { [meter]: 1 } } },
        limit: { type: "rate-limit", options: { requests: plentiful, windowSeconds: 3600 } },
      },
    },
  });
  return host;
}

/** A batch of events, one of each customer. */
export function eventsOf(meteringId: string, customers: readonly number[], id: string): WholeRequest {
  const body = customers.map((customer, index) => ({
    specversion: "1.0",
    id: `${id}-${String(index).padStart(4, "0")}`,
    source: "bench",
    type: "request",
    subject: customerName(customer),
    data: { [meter]: 1 },
  }));
  return { method: "POST", path: `/v1/metering/${meteringId}/events`, body: JSON.stringify(body) };
}
