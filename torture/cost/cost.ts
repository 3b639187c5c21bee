import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { operatorToken } from "../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { describedBy, filledPath, operationsOf } from "../described.ts";
import type { Part, Torture } from "../part.ts";
import { sendGood } from "../who-may/requests.ts";
import { furnishWorld, type World } from "../world.ts";
import { type Cost, Gauge } from "./gauge.ts";
import { atTheLimits, documentedLimits } from "./limits.ts";
import { trafficAtTheLimits } from "./traffic-limits.ts";

/** Bodies of 1 MiB that are expensive to process. */
const hostileBodies = {
  deep: "[".repeat(1_000_000),
  wide: `[${"{},".repeat(330_000)}{}]`,
  named: `{${Array.from({ length: 80_000 }, (_, index) => `"n${index}":0`).join()}}`,
};

/** In milliseconds of CPU time, not of waiting, which a busy machine makes long. */
const maxSlice = 50;
const maxSliceOfLargeBody = 150;
const maxMegabytes = 64;

/** What the machine does meanwhile adds to a measurement, and garbage collection comes at any time: the best attempt counts. */
const attempts = 3;

/**
 * The cost of single requests: every operation as described and with hostile bodies, and data at the documented limits.
 */
export const cost: Part = async ({ report, effort }: Torture) => {
  const { tolerance, hostileBodies: bodies } = effort;
  const database = await sqlite.migratedDatabase();
  const server = await spawnServer(sqlite, { database });
  using gauge = new Gauge(server);
  const rows: { name: string; status: number; cost: Cost }[] = [];
  const measure: Measure = async (name, send, { isOnce = false, slice = maxSlice } = {}) => {
    let status = 0;
    let best: Cost | undefined;
    for (let attempt = 0; attempt < (isOnce ? 1 : attempts); attempt++) {
      const measured = await gauge.costOf(async () => {
        status = (await send()).status;
      });
      if (attempt === 0 && measured.memory > maxMegabytes) grown.push(`${name} ${Math.round(measured.memory)} MB`);
      best = best ? bestOf(best, measured) : measured;
      if (best.slice < slice * tolerance && best.memory < maxMegabytes * tolerance) break;
    }
    rows.push({ name, status, cost: best! });
    if (status >= 500 || best!.slice > slice * tolerance || best!.memory > maxMegabytes * tolerance)
      failures.push(lineOf(rows.at(-1)!));
  };
  const failures: string[] = [];
  /** Requests whose first attempt took more memory: the heap of the runtime grows before it collects garbage. */
  const grown: string[] = [];
  try {
    report(`data at ${documentedLimits(effort)}`);
    const world = await furnishWorld(server.client.as(operatorToken), "costs", { isBuilt: true });
    const limits = [
      ...(await atTheLimits(server.client, effort)),
      ...(await trafficAtTheLimits(server, database, world)),
    ];
    for (const { name, method, path, body, token, isOnce } of limits) {
      const client = token === undefined ? server.client : server.client.as(token);
      await measure(name, () => client.raw(method, path, body?.()), { isOnce });
    }
    const operations = await everyOperation(server, world, measure, bodies);
    report("| request | status | CPU ms | slice ms | delay ms | memory MB |");
    report("|---|---|---|---|---|---|");
    for (const row of rows.filter(({ name, cost }) => name.includes(",") || cost.cpu > 100 || cost.memory > 16))
      report(lineOf(row));
    report(`${operations} operations, ${rows.length} requests`);
    report(`more than ${maxMegabytes} MB in the first attempt: ${grown.join("; ") || "none"}`);
    expect(failures).toEqual([]);
  } finally {
    await server.stop();
    await database.drop();
  }
};

interface MeasureOptions {
  isOnce?: boolean | undefined;
  /** The longest slice that is allowed. */
  slice?: number;
}

type Measure = (name: string, send: () => Promise<{ status: number }>, options?: MeasureOptions) => Promise<void>;

function bestOf(one: Cost, other: Cost): Cost {
  return {
    cpu: Math.min(one.cpu, other.cpu),
    delay: Math.min(one.delay, other.delay),
    slice: Math.min(one.slice, other.slice),
    memory: Math.min(one.memory, other.memory),
  };
}

async function everyOperation(server: SpawnedServer, world: World, measure: Measure, bodies: number): Promise<number> {
  const operator = server.client.as(operatorToken);
  const operations = operationsOf(await describedBy(server));
  const admin = server.client.as(world.tokens.admin);
  // Operations that delete come last: the others need the data.
  const order = operations.toSorted(
    (one, other) => Number(one.method === "DELETE") - Number(other.method === "DELETE"),
  );
  for (const [index, each] of order.entries()) {
    const { operation, method, template } = each;
    const path = filledPath(template, (name) => world.parameters[name]!);
    if (operation.requestBody?.content["application/json"])
      for (const [kind, text] of hostileBodiesFrom(index, bodies))
        await measure(`${operation.operationId} with a ${kind} body`, () => admin.raw(method, path, text), {
          slice: maxSliceOfLargeBody,
        });
    await measure(operation.operationId, () => sendGood(operator, operator, each, world), { isOnce: true });
  }
  return operations.length;
}

/** Some of the hostile bodies, beginning with another one for each operation. */
function hostileBodiesFrom(index: number, count: number): [kind: string, text: string][] {
  const all = Object.entries(hostileBodies);
  return all.map((_, offset) => all[(index + offset) % all.length]!).slice(0, count);
}

function lineOf({ name, status, cost }: { name: string; status: number; cost: Cost }): string {
  const figures = [cost.cpu, cost.slice, cost.delay, cost.memory].map((figure) => Math.max(0, Math.round(figure)));
  return `| ${name} | ${status} | ${figures.join(" | ")} |`;
}
