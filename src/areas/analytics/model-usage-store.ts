import { runsOf } from "../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { type ModelUsageRow, modelUsageSums } from "./model-usage-counter.ts";

export interface TimedModelUsage extends ModelUsageRow {
  time: number;
}

const columns: Record<(typeof modelUsageSums)[number], string> = {
  requests: "requests",
  errors: "errors",
  estimated: "estimated",
  input: "input",
  cached: "cached",
  cacheWrite: "cache_write",
  output: "output",
  cost: "cost",
  charge: "charge",
  firstBytes: "first_bytes",
  firstByteMs: "first_byte_ms",
};
const sumColumns = modelUsageSums.map((name) => columns[name]);
const primaryKey = "deployment_seq, step, time, model, provider, currency";
const rowPlaces = `(${Array(6 + sumColumns.length)
  .fill("?")
  .join(", ")})`;

const addSome = (rows: number) => `INSERT INTO model_usage (${primaryKey}, ${sumColumns.join(", ")})
  VALUES ${Array(rows).fill(rowPlaces).join(", ")}
  ON CONFLICT (${primaryKey}) DO UPDATE SET
    ${sumColumns.map((column) => `${column} = model_usage.${column} + excluded.${column}`).join(", ")}`;

/** Adds to stored rows, or creates them. */
export async function addModelUsage(
  transaction: WriteTransaction,
  step: number,
  rows: readonly TimedModelUsage[],
): Promise<void> {
  for (const run of runsOf([...rows])) {
    const values = run.flatMap((row) => [
      row.deploymentSeq,
      step,
      row.time,
      row.model,
      row.provider,
      row.currency,
      ...modelUsageSums.map((name) => row[name]),
    ]);
    await transaction.run(addSome(run.length), values);
  }
}

/** Returns the rows of an account's deployments from one time to another. */
export function readModelUsage(
  reads: Reads,
  accountSeq: number,
  step: number,
  range: { from: number; to: number },
): Promise<(TimedModelUsage & { deployment: string })[]> {
  const sums = modelUsageSums.map((name) => `model_usage.${columns[name]} AS "${name}"`).join(", ");
  return reads.all(
    `SELECT deployments.name AS deployment, deployment_seq AS "deploymentSeq", time, model, provider, currency, ${sums}
      FROM deployments JOIN model_usage ON deployment_seq = deployments.seq
      WHERE account_seq = ? AND step = ? AND time >= ? AND time < ?`,
    [accountSeq, step, range.from, range.to],
  );
}

const removeWhere = (condition: string) => `DELETE FROM model_usage WHERE (${primaryKey}) IN (
    SELECT ${primaryKey} FROM model_usage WHERE ${condition} LIMIT ?
  ) RETURNING step`;

/** Removes at most the given number of rows of a step from before a time. Returns how many it removed. */
export async function removeModelUsageBefore(
  transaction: WriteTransaction,
  step: number,
  time: number,
  rows: number,
): Promise<number> {
  return (await transaction.all(removeWhere("step = ? AND time < ?"), [step, time, rows])).length;
}

/** Removes at most the given number of rows of deleted deployments. Returns how many it removed. */
export async function removeOrphanedModelUsage(transaction: WriteTransaction, rows: number): Promise<number> {
  const condition = "NOT EXISTS (SELECT 1 FROM deployments WHERE deployments.seq = deployment_seq)";
  return (await transaction.all(removeWhere(condition), [rows])).length;
}
