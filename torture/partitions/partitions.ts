import { expect } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { postgres } from "../../test/support/engines.ts";
import { record, subscribed, usageEvent, usedOf } from "../../test/support/metering.ts";
import { OlderNode, type OldRow } from "../../test/support/older-node.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { tableContent } from "../../test/support/table-content.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Part } from "../part.ts";

const firstEvents = 400;

/**
 * `kill -9` amid the introduction of partitions of usage events, while a server records events, first with a node of an
 * earlier release beside it: each event is counted once.
 */
export const partitions: Part = async ({ random, effort, report }) => {
  const branch = random.branch("partitions");
  const database = await postgres.freshDatabase();
  const folder = await temporaryFolder("partitions");
  const older = await OlderNode.connect(database);
  const server = await spawnServer(postgres, { database });
  const { client } = server;
  const { bucket, path } = await subscribed(client, { meters: { requests: { max: 1_000_000_000 } } });
  const batch = (size: number) =>
    Array.from({ length: size }, () => usageEvent({ requests: 1 }, { source: "torture" }));
  const known = [batch(firstEvents)];
  await record(client, bucket, known[0]!);
  const [stored] = await tableContent(database, "usage_events");
  const { seq: _, voided_on: __, ...example } = stored!;
  const oldRow = (event: { id: string }) => ({ ...example, event_id: event.id }) as unknown as OldRow;

  let isOver = false;
  /** Records new events, and some of those before once more. */
  const lane = async () => {
    while (!isOver) {
      const events = batch(branch.integer(1, 20));
      const again = branch.pick(known);
      expect(await record(client, bucket, [...again, ...events])).toMatchObject({ accepted: events.length });
      known.push(events);
    }
  };
  const sending = lane();
  let kills = 0;
  const strike = async () => {
    const isKilled = await introduce(database.environment.DATABASE_URL!, folder.path, branch.integer(0, 120));
    if (isKilled) kills += 1;
  };
  for (let round = 0; round < effort.partitionKills; round++) {
    await strike();
    const events = batch(5);
    expect(await older.record(events.map(oldRow))).toBe(5);
    expect(await older.record(branch.pick(known).slice(0, 5).map(oldRow))).toBe(0);
    known.push(events);
  }
  await older.close();
  const phase = async () => (await tableContent(database, "usage_event_storage"))[0]!.phase;
  for (let round = 0; round < effort.partitionKills && (await phase()) === "filling"; round++) await strike();
  await introduce(database.environment.DATABASE_URL!, folder.path, undefined);
  expect(await phase()).toBe("partitioned");
  isOver = true;
  await sending;

  const events = known.flat();
  expect(await usedOf(client, path)).toEqual({ requests: events.length });
  expect(await record(client, bucket, events)).toEqual({ accepted: 0, duplicates: events.length, rejected: [] });
  expect((await client.get(`${bucket}/reconciliation`)).body).toMatchObject({ agrees: true, differences: [] });
  expect(await tableContent(database, "usage_event_keys")).toHaveLength(events.length);
  await server.stop();
  await folder.remove();
  await database.drop();
  report(`PostgreSQL: ${kills} kills amid the introduction; ${events.length} events counted once`);
};

/** Returns whether the process was killed before it ended. Without a delay, it is not. */
function introduce(url: string, directory: string, delay: number | undefined): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dir, "introduce.ts"), url, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.once("data", () => {
    if (delay !== undefined) setTimeout(() => child.kill("SIGKILL"), delay);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (signal === "SIGKILL" || code === 0) resolve(signal === "SIGKILL");
      else reject(new Error(`introduce.ts ended with ${code}`));
    });
  });
}
