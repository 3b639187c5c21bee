import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Tally } from "../../src/areas/operations/exports/export-job.ts";
import { encoders } from "../../src/areas/operations/exports/formats.ts";
import { hourMilliseconds, hourOf } from "../../src/areas/operations/exports/hours.ts";
import { rowsOfHour } from "../../src/areas/operations/exports/rows.ts";
import type { ExportFormat } from "../../src/areas/operations/exports/schema.ts";
import { primaryHistory } from "../../src/platform/storage/history.ts";
import { createMetered, eventBatches } from "../metering.ts";
import { progress } from "../progress.ts";
import { atLeast, type Row } from "../row.ts";
import { median } from "../sample.ts";
import { call } from "../server.ts";
import { openBenchStorage } from "../storage.ts";
import type { Workspace } from "../workspace.ts";

const batchCount = 500;
const batchSize = 100;
const rounds = 9;

/** An hour of usage events as the pieces of an object, against reading its rows by one statement and writing them as JSON. */
export async function exports(workspace: Workspace): Promise<Row[]> {
  const dataDirectory = workspace.newDirectory("exports");
  progress(`exports: recording ${batchCount * batchSize} events`);
  await record(workspace, dataDirectory);
  using file = new Database(join(dataDirectory, "tollgate.db"));
  // All of them in one hour, whatever the time is.
  const hour = hourOf(Date.now());
  file.run("UPDATE usage_events SET received_on = ?", [hour + hourMilliseconds / 2]);
  const { account } = file.query("SELECT account_seq AS account FROM metering_buckets").get() as { account: number };

  const storage = await openBenchStorage(dataDirectory);
  const encode = async (format: ExportFormat) => {
    const began = performance.now();
    const tally = new Tally();
    const { read } = primaryHistory(storage.reads);
    const rows = tally.countRows(rowsOfHour(read, "events", account, hour));
    for await (const _ of tally.countBytes(encoders[format]("events", rows)));
    if (tally.rows !== batchCount * batchSize) throw new Error(`${tally.rows} events were exported`);
    return performance.now() - began;
  };
  const ratios: Record<ExportFormat, number[]> = { parquet: [], ndjson: [] };
  const rates: Record<ExportFormat, number[]> = { parquet: [], ndjson: [] };
  // The first round compiles the code.
  for (let round = 0; round <= rounds; round++) {
    progress(`exports: round ${round} of ${rounds}`);
    const raw = readRaw(file);
    for (const format of ["parquet", "ndjson"] as const) {
      const took = await encode(format);
      if (round === 0) continue;
      ratios[format].push(raw / took);
      rates[format].push(Math.round((batchCount * batchSize * 1000) / took));
    }
  }
  await storage.close();
  return (["parquet", "ndjson"] as const).map((format) => ({
    what: `export rate of usage events as ${format === "parquet" ? "Parquet" : "NDJSON"}`,
    against: "raw SQLite, rows as JSON lines",
    explanation: `An hour of ${batchCount * batchSize} events, read in pages and encoded: ${median(rates[format]).toLocaleString("en")} events per second.`,
    target: atLeast(0.25),
    reached: median(ratios[format]),
    rounds: ratios[format],
  }));
}

async function record(workspace: Workspace, dataDirectory: string): Promise<void> {
  await using server = await workspace.startServer(dataDirectory);
  const { bucketPath } = await createMetered(server, 1);
  const { text, width } = eventBatches(0, batchCount, batchSize);
  for (let batch = 0; batch < batchCount; batch++)
    await call(server, "POST", `${bucketPath}/events`, JSON.parse(text.slice(batch * width, (batch + 1) * width)));
}

function readRaw(file: Database): number {
  const began = performance.now();
  const rows = file
    .query(
      `SELECT event_id, source, metering_buckets.id AS bucket_id, subscriptions.customer_key, subscriptions.id, meter,
         whole, billionths, usage_events.time, received_on, period_start
       FROM usage_events JOIN metering_buckets ON metering_buckets.seq = usage_events.bucket_seq
       LEFT JOIN subscriptions ON subscriptions.seq = usage_events.subscription_seq ORDER BY usage_events.seq`,
    )
    .all();
  Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"));
  return performance.now() - began;
}
