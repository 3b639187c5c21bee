import { startRival } from "../child-process.ts";
import { deploy } from "../deployment.ts";
import { guards } from "../guarded.ts";
import type { LoadPlan } from "../load-plan.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { meter } from "../metering.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import type { Workspace } from "../workspace.ts";
import {
  activeCustomers,
  browserHeaders,
  createWorld,
  customerName,
  Draw,
  recordsOf,
  unknownKey,
  type WholeRequest,
  worldApi,
  worldPath,
} from "../world.ts";

const recordCount = 20_000;
const batchSize = 100;
const batchCount = 6_000;
const rounds = { warmRounds: 2, rounds: 7 };
const plentiful = 1_000_000_000;

/** The CPU time of each path with many active customers, of server and database, against one customer. */
const targets = {
  SQLite: { guarded: 1.2, verify: 2, consume: 2, events: 2.6 },
  PostgreSQL: { guarded: 1.5, verify: 3.5, consume: 3, events: 4 },
} as const;

export async function world(workspace: Workspace): Promise<Row[]> {
  return [...(await worldOn(workspace, "SQLite")), ...(await worldOn(workspace, "PostgreSQL"))];
}

async function worldOn(workspace: Workspace, engine: "SQLite" | "PostgreSQL"): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  const customers = await createWorld(workspace.newDirectory(`world-${engine}`), engine);
  const { dataDirectory, environment, databaseProcessId, meteringId, keys, subscriptionIds } = customers;
  await using started = await workspace.startServer(dataDirectory, environment);
  const server = { ...started, databaseProcessId };
  const { host } = await deploy(started, "world", {
    "openapi.json": worldApi(guards),
    "tollgate.json": {
      upstream: `http://127.0.0.1:${upstream.port}`,
      policies: {
        key: { type: "api-key", options: { bucket: "bench" } },
        quota: { type: "quota", options: { bucketId: meteringId, meters: { [meter]: 1 } } },
        limit: { type: "rate-limit", options: { requests: plentiful, windowSeconds: 3600 } },
      },
    },
  });

  const draw = new Draw();
  /** Chooses the customer of a request: all of them, or always the first. */
  const chosen = { many: () => draw.customer(), one: () => 0 };
  type Many = keyof typeof chosen;
  const keyOf = (many: Many) => (draw.isRejected ? unknownKey : keys[chosen[many]()]!);
  const planOf = async (name: string, requests: readonly WholeRequest[], more: Partial<LoadPlan> = {}) => {
    const file = `${workspace.newDirectory(name)}.slots`;
    const { text, width } = recordsOf(requests);
    await Bun.write(file, text);
    const slots = { file, width, order: "rotate" as const, isWhole: true };
    return { ...usualTurn, method: "", path: "", rejectedStatus: 401, slots, ...more };
  };
  const many = (count: number, request: (index: number) => WholeRequest) =>
    Array.from({ length: count }, (_, index) => request(index));

  const forward = (customer: Many, isPlain = false) =>
    planOf(
      "forward",
      many(recordCount, () => ({
        method: "GET",
        path: isPlain ? "/v1/orders-0" : worldPath(draw),
        host,
        token: keyOf(customer),
        headers: isPlain ? {} : browserHeaders,
      })),
    );
  const verify = (customer: Many) =>
    planOf(
      "verify",
      many(recordCount, () => ({
        method: "POST",
        path: "/v1/accounts/default/key-buckets/bench/verify-key",
        body: JSON.stringify({ key: keyOf(customer), consume: { bucketId: meteringId, meters: { [meter]: 1 } } }),
      })),
    );
  const consume = (customer: Many) =>
    planOf(
      "consume",
      many(recordCount, () => ({
        method: "POST",
        path: `/v1/metering/${meteringId}/subscriptions/${subscriptionIds[chosen[customer]()]}/quotas/consume`,
        body: JSON.stringify({ meters: { [meter]: 1 } }),
      })),
    );
  const events = async (customer: Many) => {
    const body = (batch: number) => {
      const subjects = customer === "many" ? draw.customers(batchSize) : Array<number>(batchSize).fill(0);
      return subjects.map((subject, index) => ({
        specversion: "1.0",
        id: `${customer}-${String(batch * batchSize + index).padStart(8, "0")}`,
        source: "bench",
        type: "request",
        subject: customerName(subject),
        data: { [meter]: 1 },
      }));
    };
    const path = `/v1/metering/${meteringId}/events`;
    const requests = many(batchCount, (batch) => ({ method: "POST", path, body: JSON.stringify(body(batch)) }));
    const plan = await planOf("events", requests, { connections: 8, warmSeconds: 0 });
    let used = 0;
    return async () => {
      const result = await load(server, { ...plan, slots: { ...plan.slots, order: "once", first: used } });
      used += result.slotsUsed;
      return result;
    };
  };
  const turnOf = async (plan: Promise<LoadPlan>) => {
    const known = await plan;
    return () => load(server, known);
  };

  const compared = async (
    what: string,
    target: number,
    [ours, theirs]: [
      ours: () => Promise<Awaited<ReturnType<typeof load>>>,
      theirs: () => Promise<Awaited<ReturnType<typeof load>>>,
    ],
    against = "one customer",
  ) => {
    const turns = await takeTurns(`world, ${engine}: ${what}`, rounds, { ours, theirs });
    const words = {
      what: `${what}, ${engine}`,
      against,
      againstOurselves: true,
      explanation: `CPU time of server and database for ${activeCustomers.toLocaleString("en")} active customers, drawn by Zipf's law, of 10,000 with 40 plans; 500 routes, the headers of a browser, 3 % rejected.`,
    };
    return comparisonRow(words, atMost(target), turns.ours, turns.theirs, "cpuMicroseconds");
  };
  const target = targets[engine];
  return [
    await compared("world: guarded requests", target.guarded, [
      await turnOf(forward("many")),
      await turnOf(forward("one")),
    ]),
    await compared(
      "world: 500 routes with queries, 20 headers",
      2.2,
      [await turnOf(forward("one")), await turnOf(forward("one", true))],
      "one path without headers",
    ),
    await compared("world: verify-key with `consume`", target.verify, [
      await turnOf(verify("many")),
      await turnOf(verify("one")),
    ]),
    await compared("world: quotas/consume", target.consume, [
      await turnOf(consume("many")),
      await turnOf(consume("one")),
    ]),
    await compared("world: events, 100 customers in a batch", target.events, [
      await events("many"),
      await events("one"),
    ]),
  ];
}
