import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { operatorToken } from "../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import { describedBy, filledPath, operationsOf } from "../described.ts";
import type { Part, Torture } from "../part.ts";
import { sendGood } from "../who-may/requests.ts";
import { furnishWorld } from "../world.ts";
import { type Cost, costOf } from "./gauge.ts";
import { atTheLimits, documentedLimits } from "./limits.ts";

/** Bodies of 1 MiB that are expensive to process. */
const hostileBodies = {
  deep: "[".repeat(1_000_000),
  wide: `[${"{},".repeat(330_000)}{}]`,
  named: `{${Array.from({ length: 80_000 }, (_, index) => `"n${index}":0`).join()}}`,
};

/**
 * Memory beyond this fails: a fault of the bounds takes many times as much. Times are reported and never asserted, as a busy
 * machine has any.
 */
const maxMegabytes = 256;

/**
 * The cost of single requests: every operation as described and with hostile bodies, and data at the documented limits.
 */
export const cost: Part = async ({ report }: Torture) => {
  const server = await spawnServer(sqlite);
  const rows: { name: string; status: number; cost: Cost }[] = [];
  const measure = async (name: string, send: () => Promise<{ status: number }>) => {
    let status = 0;
    const measured = await costOf(server, async () => {
      status = (await send()).status;
    });
    rows.push({ name, status, cost: measured });
    expect([name, status < 500, measured.memory < maxMegabytes]).toEqual([name, true, true]);
  };
  try {
    report(`data at ${documentedLimits}`);
    for (const { name, method, path, body } of await atTheLimits(server.client))
      await measure(name, () => server.client.raw(method, path, body));
    const operations = await everyOperation(server, measure);
    report("| request | status | CPU ms | slice ms | delay ms | memory MB |");
    report("|---|---|---|---|---|---|");
    for (const row of rows.filter(({ name, cost }) => name.includes(",") || cost.cpu > 100 || cost.memory > 16))
      report(lineOf(row));
    report(`${operations} operations, ${rows.length} requests`);
  } finally {
    await server.stop();
  }
};

async function everyOperation(
  server: SpawnedServer,
  measure: (name: string, send: () => Promise<{ status: number }>) => Promise<void>,
): Promise<number> {
  const operator = server.client.as(operatorToken);
  const world = await furnishWorld(operator, "costs", { isBuilt: true });
  const operations = operationsOf(await describedBy(server));
  const admin = server.client.as(world.tokens.admin);
  // Operations that delete come last: the others need the data.
  const order = operations.toSorted(
    (one, other) => Number(one.method === "DELETE") - Number(other.method === "DELETE"),
  );
  for (const each of order) {
    const { operation, method, template } = each;
    const path = filledPath(template, (name) => world.parameters[name]!);
    if (operation.requestBody?.content["application/json"])
      for (const [kind, text] of Object.entries(hostileBodies))
        await measure(`${operation.operationId} with a ${kind} body`, () => admin.raw(method, path, text));
    await measure(operation.operationId, () => sendGood(operator, operator, each, world));
  }
  return operations.length;
}

function lineOf({ name, status, cost }: { name: string; status: number; cost: Cost }): string {
  const figures = [cost.cpu, cost.slice, cost.delay, cost.memory].map((figure) => Math.max(0, Math.round(figure)));
  return `| ${name} | ${status} | ${figures.join(" | ")} |`;
}
