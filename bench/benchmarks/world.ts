import { startRival } from "../child-process.ts";
import type { LoadPlan } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { meter } from "../metering.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import type { Workspace } from "../workspace.ts";
import {
  activeCustomers,
  browserHeaders,
  createWorld,
  Draw,
  deployWorld,
  eventsOf,
  planOf,
  unknownKey,
  type WholeRequest,
  worldPath,
} from "../world.ts";

const recordCount = 20_000;
const batchSize = 100;
/** More than a fast machine sends in all rounds. */
const batchCount = 16_000;
const rounds = { warmRounds: 2, rounds: 7 };

/** The CPU time of each path with many active customers, of server and database, against one customer. */
const targets = {
  SQLite: { guarded: 1.2, random: 1.3, verify: 2, consume: 2, events: 2.6 },
  PostgreSQL: { guarded: 1.5, random: 1.6, verify: 3.5, consume: 3, events: 4 },
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
  const host = await deployWorld(started, customers, upstream.port);

  const draw = new Draw();
  /** Chooses the customer of a request: by Zipf's law, any, or always the first. */
  const chosen = {
    many: () => draw.customer(),
    random: () => Math.floor(draw.share() * activeCustomers),
    one: () => 0,
  };
  type Many = keyof typeof chosen;
  const keyOf = (many: Many) => (draw.isRejected ? unknownKey : keys[chosen[many]()]!);
  const many = (count: number, request: (index: number) => WholeRequest) =>
    Array.from({ length: count }, (_, index) => request(index));

  const forward = (customer: Many, { paths = true, headers = true } = {}) =>
    planOf(
      workspace,
      "forward",
      many(recordCount, () => ({
        method: "GET",
        path: paths ? worldPath(draw) : "/v1/orders-0",
        host,
        token: keyOf(customer),
        headers: headers ? browserHeaders : {},
      })),
    );
  const verify = (customer: Many) =>
    planOf(
      workspace,
      "verify",
      many(recordCount, () => ({
        method: "POST",
        path: "/v1/accounts/default/key-buckets/bench/verify-key",
        body: JSON.stringify({ key: keyOf(customer), consume: { bucketId: meteringId, meters: { [meter]: 1 } } }),
      })),
    );
  const consume = (customer: Many) =>
    planOf(
      workspace,
      "consume",
      many(recordCount, () => ({
        method: "POST",
        path: `/v1/metering/${meteringId}/subscriptions/${subscriptionIds[chosen[customer]()]}/quotas/consume`,
        body: JSON.stringify({ meters: { [meter]: 1 } }),
      })),
    );
  const events = async (customer: Many) => {
    const subjects = () => (customer === "one" ? Array<number>(batchSize).fill(0) : draw.customers(batchSize));
    const batchOf = (batch: number) =>
      eventsOf(meteringId, subjects(), `${customer}-${String(batch).padStart(8, "0")}`);
    const plan = await planOf(workspace, "events", many(batchCount, batchOf), { connections: 8, warmSeconds: 0 });
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
  const rows = [
    await compared("world: guarded requests", target.guarded, [
      await turnOf(forward("many")),
      await turnOf(forward("one")),
    ]),
    await compared("world: guarded requests, customers at random", target.random, [
      await turnOf(forward("random")),
      await turnOf(forward("one")),
    ]),
  ];
  const plain = await turnOf(forward("one", { paths: false, headers: false }));
  for (const [what, most, how] of [
    ["500 routes with queries", 1.5, { headers: false }],
    ["20 headers", 1.6, { paths: false }],
    ["500 routes with queries, 20 headers", 2.2, {}],
  ] as const)
    rows.push(
      await compared(`world: ${what}`, most, [await turnOf(forward("one", how)), plain], "one path without headers"),
    );
  rows.push(
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
  );
  return rows;
}
