import { unlinkSync } from "node:fs";
import { runForJson, startRival } from "../child-process.ts";
import type { LoadedServer } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { meter } from "../metering.ts";
import { atLeast, atMost, comparisonRow, limit, limitRow, type Row } from "../row.ts";
import { median, type Sample } from "../sample.ts";
import { startServer } from "../server.ts";
import { openBenchStorage } from "../storage.ts";
import type { Workspace } from "../workspace.ts";
import {
  activeCustomers,
  browserHeaders,
  createWorld,
  Draw,
  deployWorld,
  eventsOf,
  planOf,
  type WholeRequest,
  type World,
  worldPath,
} from "../world.ts";

type EngineName = "SQLite" | "PostgreSQL";
const firstCustomers = 800;
const killedCustomers = 400;
const [batchSize, largeBatch] = [100, 1_000];
const rounds = { warmRounds: 1, rounds: 5 };
const about = "10,000 customers with a key and a subscription each, 5,000 of them active, 40 plans, 500 routes.";

/** What thousands of customers cost at single moments: their first requests, a kill, large batches, a second node. */
export async function worldMoments(workspace: Workspace): Promise<Row[]> {
  return [...(await momentsOn(workspace, "SQLite")), ...(await momentsOn(workspace, "PostgreSQL"))];
}

async function momentsOn(workspace: Workspace, engine: EngineName): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  const world = await createWorld(workspace.newDirectory(`moments-${engine}`), engine);
  const { dataDirectory, environment, databaseProcessId } = world;
  const rows: Row[] = [];
  let host = "";
  {
    await using started = await workspace.startServer(dataDirectory, environment);
    const server = { ...started, databaseProcessId };
    host = await deployWorld(started, world, upstream.port);
    rows.push(
      await firstRequests(workspace, server, world, host, engine),
      await singleEvent(workspace, server, world, engine),
    );
    if (engine === "PostgreSQL")
      rows.push(await rawSets(workspace, server, world), await twoNodes(workspace, server, world, host));
  }
  rows.push(await killed(workspace, world, host, engine));
  return rows;
}

function guarded({ keys }: World, host: string, draw: Draw, customer: number): WholeRequest {
  return { method: "GET", path: worldPath(draw), host, token: keys[customer]!, headers: browserHeaders };
}

/** Customers that have not called, in groups; then the same customers again. */
async function firstRequests(
  workspace: Workspace,
  server: LoadedServer,
  world: World,
  host: string,
  engine: EngineName,
) {
  const [firsts, laters]: [Sample[], Sample[]] = [[], []];
  for (let round = 0; round < rounds.rounds; round++) {
    const from = activeCustomers + round * firstCustomers;
    const draw = new Draw();
    const requests = Array.from({ length: firstCustomers }, (_, index) => guarded(world, host, draw, from + index));
    const plan = await planOf(workspace, "first", requests, { warmSeconds: 0, seconds: 60 });
    const once = { ...plan, slots: { ...plan.slots, order: "once" as const } };
    firsts.push(await load(server, once));
    laters.push(await load(server, once));
  }
  const words = {
    what: `world: the first request of a customer, ${engine}`,
    against: "its second request",
    againstOurselves: true,
    explanation: `CPU time of server and database for ${firstCustomers} customers one after the other, 64 at once; ${about}`,
  };
  return comparisonRow(words, atMost(6), firsts, laters, "cpuMicroseconds");
}

/** A batch with one event over and over, alone and beside batches of many customers. */
async function singleEvent(workspace: Workspace, server: LoadedServer, { meteringId }: World, engine: EngineName) {
  const draw = new Draw();
  let turn = 0;
  /** New events for a turn: an identifier that was sent before is a duplicate, which costs less. */
  const planned = (size: number, batches: number, connections: number) => {
    const name = `batches-${size}-${turn++}`;
    const requests = Array.from({ length: batches }, (_, batch) =>
      eventsOf(meteringId, draw.customers(size), `${name}-${String(batch).padStart(6, "0")}`),
    );
    return planOf(workspace, name, requests, { warmSeconds: 0, seconds: 5, connections });
  };
  const send = async (plan: Awaited<ReturnType<typeof planned>>) => {
    const result = await load(server, { ...plan, slots: { ...plan.slots, order: "once" } });
    const wasEnough = result.slotsUsed * plan.slots.width < Bun.file(plan.slots.file).size;
    unlinkSync(plan.slots.file);
    if (!wasEnough) throw new Error("there were too few events for a turn");
    return result;
  };
  const single = () => planned(1, 40_000, 1);
  const turns = await takeTurns(`world, ${engine}: single events`, rounds, {
    ours: async () => {
      const plans = [await single(), await planned(largeBatch, 500, 2)];
      return (await Promise.all(plans.map(send)))[0]!;
    },
    theirs: async () => send(await single()),
  });
  const alone = Math.round(median(turns.theirs.map(({ p50Microseconds }) => p50Microseconds)));
  const words = {
    what: `world: a single event beside batches of 1,000 customers, ${engine}`,
    against: limit,
    explanation: `The median until a single event is stored, while two connections send batches of 1,000. Alone it is ${alone} µs; ${about}`,
  };
  return limitRow(
    words,
    { comparison: "<=", value: 600, unit: "ms" },
    turns.ours.map(({ p50Microseconds }) => p50Microseconds / 1000),
  );
}

/** Batches of events against the same rows, written by one statement per table and batch. */
async function rawSets(workspace: Workspace, server: LoadedServer, { meteringId, environment }: World) {
  const draw = new Draw();
  const batches = Array.from({ length: 3_000 }, (_, batch) =>
    eventsOf(meteringId, draw.customers(batchSize), `sets-${String(batch).padStart(6, "0")}`),
  );
  const plan = await planOf(workspace, "sets", batches, { connections: 8, warmSeconds: 0 });
  let first = 0;
  const turns = await takeTurns("world, PostgreSQL: events against raw sets", rounds, {
    ours: async () => {
      const result = await load(server, { ...plan, slots: { ...plan.slots, order: "once", first } });
      first += result.slotsUsed;
      return result;
    },
    theirs: () =>
      runForJson<Sample>("bench/rivals/raw-sets.ts", [environment.DATABASE_URL!, String(100), String(batchSize)]),
  });
  const words = {
    what: "world: events, 100 customers in a batch, PostgreSQL",
    against: "the same rows, one statement per table and batch",
    explanation: `CPU time of server and database, 8 batches at once. The rival neither deduplicates nor checks; ${about}`,
  };
  return comparisonRow(words, atMost(2), turns.ours, turns.theirs, "cpuMicroseconds");
}

/** The same customers on two nodes, each with half of the connections. */
async function twoNodes(workspace: Workspace, one: LoadedServer, world: World, host: string) {
  await using other = await startServer(workspace.newDirectory("second-node"), world.environment);
  const draw = new Draw();
  const requests = Array.from({ length: 20_000 }, () => guarded(world, host, draw, draw.customer()));
  const plan = await planOf(workspace, "nodes", requests);
  const half = { ...plan, connections: plan.connections / 2 };
  const turns = await takeTurns("world, PostgreSQL: two nodes", rounds, {
    ours: async () => {
      // The database counts once.
      const [first, second] = await Promise.all([load(one, half), load(other, half)]);
      const count = first.requests + second.requests;
      const cpu = first.cpuMicroseconds * first.requests + second.cpuMicroseconds * second.requests;
      return { ...first, perSecond: first.perSecond + second.perSecond, cpuMicroseconds: cpu / count };
    },
    theirs: () => load(one, plan),
  });
  const words = {
    what: "world: guarded requests on two nodes, PostgreSQL",
    against: "one node",
    againstOurselves: true,
    explanation: `CPU time of both servers and the database for the same active customers, drawn by Zipf's law; ${about}`,
  };
  return comparisonRow(words, atMost(1.7), turns.ours, turns.theirs, "cpuMicroseconds");
}

/** Each customer calls once; the server is killed a second after the last response. */
async function killed(workspace: Workspace, world: World, host: string, engine: EngineName) {
  const shares: number[] = [];
  for (let round = 0; round < 3; round++) {
    const counted = await countedUnits(world);
    {
      await using server = await startServer(world.dataDirectory, world.environment);
      const draw = new Draw();
      const requests = Array.from({ length: killedCustomers }, (_, index) => guarded(world, host, draw, index * 10));
      const plan = await planOf(workspace, "killed", requests, { warmSeconds: 0, seconds: 60 });
      await load(server, { ...plan, slots: { ...plan.slots, order: "once" } });
      await Bun.sleep(1_000);
      process.kill(server.processId, "SIGKILL");
    }
    shares.push(((await countedUnits(world)) - counted) / killedCustomers);
  }
  const words = {
    what: `world: usage counted after kill -9, ${engine}`,
    against: limit,
    explanation: `The share of ${killedCustomers} requests of as many customers that is counted if the server is killed a second after the last; ${about}`,
  };
  return limitRow(words, atLeast(1), shares);
}

async function countedUnits({ dataDirectory, environment }: World): Promise<number> {
  const storage = await openBenchStorage(dataDirectory, { databaseUrl: environment.DATABASE_URL });
  const sql = "SELECT CAST(SUM(consumed_whole) AS bigint) AS units FROM usage_counters WHERE meter = ?";
  const row = await storage.reads.one<{ units: number | null }>(sql, [meter]);
  await storage.close();
  return row?.units ?? 0;
}
