import { Database } from "bun:sqlite";
import { join } from "node:path";
import { alternate, load } from "../measure.ts";
import { createMetered, eventBatches, type Metered, usedOf } from "../metering.ts";
import { progress } from "../progress.ts";
import { adminToken, call, type RunningServer, startServer } from "../server.ts";
import type { Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const fewCount = 1_000;
const manyCount = 5_000_000;

/** Reading usage with five million events behind it, against a thousand. */
export async function readUsage(workspace: Workspace): Promise<Row[]> {
  const few = await prepare(workspace, fewCount);
  const many = await prepare(workspace, manyCount);
  await using serverOfFew = await startServer(few.dataDirectory);
  await using serverOfMany = await startServer(many.dataDirectory);
  for (const [server, { metered }, count] of [
    [serverOfFew, few, fewCount],
    [serverOfMany, many, manyCount],
  ] as const) {
    const used = await usedOf(server, metered);
    if (used !== count) throw new Error(`${count} events were written, ${used} are counted`);
  }
  const latency =
    (server: RunningServer, { metered }: { metered: Metered }) =>
    async () => {
      const result = await load({
        port: server.port,
        connections: 1,
        warmSeconds: 0.3,
        seconds: 1,
        method: "GET",
        path: `${metered.subscriptionPath}/usage`,
        token: adminToken,
      });
      return result.p50Microseconds;
    };
  const comparison = await alternate("read-usage", rounds, latency(serverOfMany, many), latency(serverOfFew, few));
  return [
    {
      what: "read usage, 5,000,000 events behind it",
      against: "1,000 events",
      target: { comparison: "<=", value: 1.5, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${comparison.ours.toFixed(0)} µs against ${comparison.theirs.toFixed(0)} µs`,
    },
  ];
}

/** The interface takes the first event; with the server stopped, its row is written again for all. */
async function prepare(workspace: Workspace, count: number) {
  const dataDirectory = workspace.newDirectory(`usage-${count}`);
  let metered: Metered;
  {
    await using server = await startServer(dataDirectory);
    metered = await createMetered(server, 1);
    await call(server, "POST", `${metered.bucketPath}/events`, JSON.parse(eventBatches(0, 1, 1).text));
  }
  progress(`read-usage: writing ${count.toLocaleString("en")} events`);
  const database = new Database(join(dataDirectory, "tollgate.db"));
  database.run("PRAGMA synchronous = OFF");
  database.run("PRAGMA cache_size = -1000000");
  database.run(
    `INSERT INTO usage_events (bucket_seq, source, event_id, part, subscription_seq, time, period_start, received_on, meter, whole, billionths)
     WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
     SELECT bucket_seq, source, printf('%012d', n), part, subscription_seq, time, period_start, received_on, meter, whole, billionths
     FROM numbers, usage_events`,
  );
  database.run("UPDATE usage_counters SET events = ?, whole = ?", [count, count]);
  database.close();
  return { dataDirectory, metered };
}
