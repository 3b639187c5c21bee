import { SQL } from "bun";
import { startPostgres } from "../../test/support/postgres.ts";
import type { LoadPlan } from "../load-plan.ts";
import { alternate, load } from "../measure.ts";
import { createMetered, eventBatches, type Metered, usedOf } from "../metering.ts";
import { progress } from "../progress.ts";
import { recordRival } from "../raw-rival.ts";
import { adminToken, type RunningServer, startServer } from "../server.ts";
import { median, perSecond, type Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const secondsPerRound = 2;
const batchSize = 100;
const connections = 8;
const recordedBatches = 1_000;
/** More than the server can take in all rounds. */
const batchCount = 12_000;

/** Batches of 100 events, durable, deduplicated and counted, against their rows written raw in as many transactions. */
export async function usageEvents(workspace: Workspace): Promise<Row[]> {
  const batches = eventBatches(0, batchCount, batchSize);
  const file = `${workspace.newDirectory("events")}.slots`;
  await Bun.write(file, batches.text);
  const plan = (server: RunningServer, metered: Metered, first: number): LoadPlan => ({
    port: server.port,
    connections,
    warmSeconds: 0,
    seconds: secondsPerRound,
    method: "POST",
    path: `${metered.bucketPath}/events`,
    token: adminToken,
    body: "{slot}",
    slots: { file, width: batches.width, order: "once", first },
  });

  progress("usage-events: recording the rows that the rival writes");
  let recorded: Metered;
  const rival = await recordRival(workspace, "usage-events", {
    async prepare(server) {
      recorded = await createMetered(server, 1);
    },
    async request(server) {
      const first = batchCount - recordedBatches;
      return (await load({ ...plan(server, recorded, first), seconds: 60 })).requests;
    },
  });

  const rates = async (server: RunningServer) => {
    const metered = await createMetered(server, 1);
    let used = 0;
    const rate = async () => {
      const result = await load(plan(server, metered, used));
      used += result.slotsUsed;
      return result.perSecond * batchSize;
    };
    const check = async () => {
      // What was under way when the load ended was not waited for, and may be there too.
      const counted = await usedOf(server, metered);
      if (counted > used * batchSize || counted < (used - connections * rounds * 2) * batchSize)
        throw new Error(`${used * batchSize} events were sent, ${counted} are counted`);
    };
    await rate();
    return { rate, check };
  };

  const rows: Row[] = [];
  {
    await using server = await startServer(workspace.newDirectory("usage-events-server"));
    const { rate, check } = await rates(server);
    const comparison = await alternate(
      "usage-events, SQLite",
      rounds,
      rate,
      async () => (await rival.measure(secondsPerRound)) * batchSize,
    );
    await check();
    rows.push({
      what: "usage events in batches of 100, SQLite",
      against: "raw SQLite, the rows of a batch per transaction",
      target: { comparison: ">=", value: 0.4, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    });
    rows.push(
      limit(
        "SQLite",
        Array.from({ length: 1 }, () => comparison.ours),
      ),
    );
  }
  {
    const maintenance = await startPostgres();
    const connection = new SQL(maintenance, { max: 1 });
    await connection.unsafe("CREATE DATABASE tollgate_bench");
    await connection.close();
    const url = new URL(maintenance);
    url.pathname = "/tollgate_bench";
    await using server = await startServer(workspace.newDirectory("usage-events-postgres"), { DATABASE_URL: url.href });
    const { rate, check } = await rates(server);
    const measured: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      measured.push(await rate());
      progress(`usage-events, PostgreSQL: round ${round} of ${rounds}: ${measured.at(-1)!.toFixed(0)}`);
    }
    await check();
    rows.push(limit("PostgreSQL", measured));
  }
  return rows;
}

function limit(engine: string, rates: number[]): Row {
  return {
    what: `usage events in batches of 100, ${engine}`,
    against: "limit",
    target: { comparison: ">=", value: 10_000, unit: "/s" },
    reached: median(rates),
    rounds: rates,
    measured: `${connections} connections`,
  };
}
