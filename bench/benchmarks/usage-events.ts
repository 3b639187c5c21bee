import type { LoadPlan } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { createMetered, eventBatches, type Metered, usedOf } from "../metering.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { progress } from "../progress.ts";
import { recordRival } from "../raw-rival.ts";
import { atLeast, comparisonRow, limit, limitRow, type Row } from "../row.ts";
import { medianSample, type Sample } from "../sample.ts";
import { adminToken, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const rounds = { warmRounds: 1, rounds: 5 };
const secondsPerTurn = 1.2;
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
  const plan = (metered: Metered, first: number): LoadPlan => ({
    connections,
    warmSeconds: 0,
    seconds: secondsPerTurn,
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
      return (await load(server, { ...plan(recorded, first), seconds: 60 })).requests;
    },
  });

  const contestant = async (server: RunningServer) => {
    const metered = await createMetered(server, 1);
    let used = 0;
    let turnCount = 0;
    const turn = async () => {
      const result = await load(server, plan(metered, used));
      used += result.slotsUsed;
      turnCount += 1;
      return result;
    };
    const check = async () => {
      // Requests in flight at the end of the load were not awaited, and may be counted too.
      const counted = await usedOf(server, metered);
      if (counted > used * batchSize || counted < (used - connections * turnCount) * batchSize)
        throw new Error(`${used * batchSize} events were sent, ${counted} are counted`);
    };
    return { turn, check };
  };

  const rows: Row[] = [];
  {
    await using server = await workspace.startServer(workspace.newDirectory("usage-events-server"));
    const { turn, check } = await contestant(server);
    const turns = await takeTurns("usage-events, SQLite", rounds, {
      ours: turn,
      raw: () => rival.write(secondsPerTurn),
    });
    await check();
    rows.push(
      comparisonRow(
        {
          what: "usage events in batches of 100, SQLite",
          against: "raw SQLite, the rows of a batch per transaction",
          explanation:
            "Batches are durable, deduplicated and counted; the rival writes the same rows as the server, one durable transaction per batch.",
        },
        atLeast(0.4),
        turns.ours,
        turns.raw,
      ),
      eventRate("SQLite", turns.ours),
    );
  }
  {
    await using server = await workspace.startServer(workspace.newDirectory("usage-events-postgres"), {
      ...(await newPostgresDatabase()),
    });
    const { turn, check } = await contestant(server);
    const turns = await takeTurns("usage-events, PostgreSQL", rounds, { ours: turn });
    await check();
    rows.push(eventRate("PostgreSQL", turns.ours));
  }
  return rows;
}

function eventRate(engine: string, samples: readonly Sample[]): Row {
  const words = {
    what: `usage events per second, ${engine}`,
    against: limit,
    explanation: `Events, 100 to a batch, over ${connections} connections; the CPU time is Tollgate's alone.`,
  };
  const rates = samples.map((sample) => sample.perSecond * batchSize);
  return {
    ...limitRow(words, { comparison: ">=", value: 10_000, unit: "/s" }, rates),
    ours: medianSample(samples),
  };
}
