import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { LoadedServer } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { createMetered, eventBatches, type Metered, usedOf } from "../metering.ts";
import { progress } from "../progress.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { adminToken, call, startServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const fewCount = 1_000;
const manyCount = 5_000_000;

/** Reading usage with five million events behind it, against a thousand. */
export async function readUsage(workspace: Workspace): Promise<Row[]> {
  const few = await prepare(workspace, fewCount);
  const many = await prepare(workspace, manyCount);
  await using serverOfFew = await workspace.startServer(few.dataDirectory);
  await using serverOfMany = await workspace.startServer(many.dataDirectory);
  for (const [server, { metered }, count] of [
    [serverOfFew, few, fewCount],
    [serverOfMany, many, manyCount],
  ] as const) {
    const used = await usedOf(server, metered);
    if (used !== count) throw new Error(`${count} events were written, ${used} are counted`);
  }
  const read = (server: LoadedServer, { subscriptionPath }: Metered) => {
    const path = `${subscriptionPath}/usage`;
    return load(server, { connections: 1, warmSeconds: 0.2, seconds: 0.8, method: "GET", path, token: adminToken });
  };
  const turns = await takeTurns(
    "read-usage",
    { warmRounds: 1, rounds: 5 },
    { many: () => read(serverOfMany, many.metered), few: () => read(serverOfFew, few.metered) },
  );
  return [
    comparisonRow(
      {
        what: "read usage, 5,000,000 events behind it",
        against: "1,000 events",
        againstOurselves: true,
        explanation: "Median latency of one request at a time: reading usage must not read the events.",
      },
      atMost(1.5),
      turns.many,
      turns.few,
      "p50Microseconds",
    ),
  ];
}

/** The API receives the first event; with the server stopped, its row is copied for all others. */
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
