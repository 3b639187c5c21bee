import { runsOf } from "../../platform/storage/runs.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { type ModelUsageKey, type ModelUsageRow, modelUsageSums } from "./model-usage-counter.ts";
import { other } from "./traffic.ts";

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
const keyColumns = {
  deploymentSeq: "deployment_seq",
  consumerId: "consumer_id",
  consumer: "consumer",
  model: "model",
  provider: "provider",
  currency: "currency",
} satisfies Record<keyof ModelUsageKey, string>;

/** A table with the same sums by other keys. */
interface ModelUsageTable {
  name: string;
  keys: readonly (keyof ModelUsageKey)[];
}

const byModel: ModelUsageTable = { name: "model_usage", keys: ["deploymentSeq", "model", "provider", "currency"] };
const byConsumer: ModelUsageTable = {
  name: "model_usage_consumers",
  keys: ["deploymentSeq", "consumerId", "consumer", "model", "provider", "currency"],
};
export const modelUsageTables = [byModel, byConsumer];

const primaryKey = ({ keys: [first, ...rest] }: ModelUsageTable) =>
  [keyColumns[first!], "step", "time", ...rest.map((key) => keyColumns[key])].join(", ");

const addSome = (table: ModelUsageTable, rows: number) => {
  const row = `(${Array(table.keys.length + 2 + sumColumns.length)
    .fill("?")
    .join(", ")})`;
  return `INSERT INTO ${table.name} (${primaryKey(table)}, ${sumColumns.join(", ")})
    VALUES ${Array(rows).fill(row).join(", ")}
    ON CONFLICT (${primaryKey(table)}) DO UPDATE SET
      ${sumColumns.map((column) => `${column} = ${table.name}.${column} + excluded.${column}`).join(", ")}`;
};

/** Adds to stored rows, or creates them. */
export async function addModelUsage(
  transaction: WriteTransaction,
  table: ModelUsageTable,
  step: number,
  rows: readonly TimedModelUsage[],
): Promise<void> {
  const [, ...rest] = table.keys;
  for (const run of runsOf([...rows])) {
    const values = run.flatMap((row) => [
      row.deploymentSeq,
      step,
      row.time,
      ...rest.map((key) => row[key]),
      ...modelUsageSums.map((name) => row[name]),
    ]);
    await transaction.run(addSome(table, run.length), values);
  }
}

/** The rows of an account's deployments from one time to another. */
interface ModelUsageSelection {
  accountSeq: number;
  /** In milliseconds. */
  step: number;
  from: number;
  to: number;
  model?: string | undefined;
  provider?: string | undefined;
  /** By name. */
  consumer?: string | undefined;
  consumerId?: string | undefined;
  /** By name. */
  deployments?: readonly string[] | undefined;
}

interface GroupedModelUsage extends TimedModelUsage {
  /** The value of the group. Null for consumers that are not in the given names. */
  key: string | null;
}

type Group = "model" | "provider" | "deployment" | "consumer" | undefined;

/** Without a consumer, the smaller table has the same sums. */
function sourceOf({ consumer, consumerId }: ModelUsageSelection, by: Group): ModelUsageTable {
  return consumer !== undefined || consumerId !== undefined || by === "consumer" ? byConsumer : byModel;
}

function conditionOf(selection: ModelUsageSelection): { where: string; parameters: (string | number)[] } {
  const { accountSeq, step, from, to, deployments } = selection;
  const conditions = ["account_seq = ?", "step = ?", "time >= ?", "time < ?"];
  const parameters: (string | number)[] = [accountSeq, step, from, to];
  const add = (condition: string, ...values: (string | number)[]) => {
    conditions.push(condition);
    parameters.push(...values);
  };
  for (const name of ["model", "provider", "consumer", "consumerId"] as const) {
    const value = selection[name];
    if (value !== undefined) add(`${keyColumns[name]} = ?`, value);
  }
  if (deployments) add(deployments.length === 0 ? "1 = 0" : `name IN (${places(deployments)})`, ...deployments);
  return { where: conditions.join(" AND "), parameters };
}

const places = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** Returns sums by the group, time and currency. Of consumers, only those with the given names are groups. */
export function readModelUsage(
  reads: Reads,
  selection: ModelUsageSelection,
  by: Group,
  consumers: readonly string[] = [],
): Promise<GroupedModelUsage[]> {
  const { name } = sourceOf(selection, by);
  const { where, parameters } = conditionOf(selection);
  const sums = modelUsageSums.map((each) => `SUM(${name}.${columns[each]}) AS "${each}"`).join(", ");
  const named = consumers.length === 0 ? "NULL" : `CASE WHEN consumer IN (${places(consumers)}) THEN consumer END`;
  const key =
    by === undefined ? "CAST(NULL AS text)" : by === "consumer" ? named : by === "deployment" ? "deployments.name" : by;
  const grouped = by === "consumer" ? consumers : [];
  return reads.all(
    `SELECT grouped.key AS "key", time, currency, ${modelUsageSums.map((each) => `SUM("${each}") AS "${each}"`).join(", ")}
     FROM (
       SELECT ${key} AS key, time, currency, ${sums}
       FROM deployments JOIN ${name} ON deployment_seq = deployments.seq
       WHERE ${where} GROUP BY deployments.name, time, currency${by === "consumer" ? ", consumer" : by === "model" || by === "provider" ? `, ${by}` : ""}
     ) AS grouped GROUP BY grouped.key, time, currency`,
    [...grouped, ...parameters],
  );
}

/** Returns the consumers with the most requests. */
export async function topModelConsumers(
  reads: Reads,
  selection: ModelUsageSelection,
  limit: number,
): Promise<string[]> {
  const { where, parameters } = conditionOf(selection);
  const rows = await reads.all<{ consumer: string }>(
    `SELECT consumer FROM deployments JOIN model_usage_consumers ON deployment_seq = deployments.seq
     WHERE ${where} AND consumer <> ? GROUP BY consumer ORDER BY SUM(requests) DESC, consumer LIMIT ?`,
    [...parameters, other, limit],
  );
  return rows.map(({ consumer }) => consumer);
}

const removeWhere = (table: ModelUsageTable, condition: string) => `DELETE FROM ${table.name}
  WHERE (${primaryKey(table)}) IN (SELECT ${primaryKey(table)} FROM ${table.name} WHERE ${condition} LIMIT ?) RETURNING step`;

/** Removes at most the given number of rows of a step from before a time. Returns how many it removed. */
export async function removeModelUsageBefore(
  transaction: WriteTransaction,
  table: ModelUsageTable,
  { step, time }: { step: number; time: number },
  rows: number,
): Promise<number> {
  return (await transaction.all(removeWhere(table, "step = ? AND time < ?"), [step, time, rows])).length;
}

/** Removes at most the given number of rows of deleted deployments. Returns how many it removed. */
export async function removeOrphanedModelUsage(
  transaction: WriteTransaction,
  table: ModelUsageTable,
  rows: number,
): Promise<number> {
  const condition = "NOT EXISTS (SELECT 1 FROM deployments WHERE deployments.seq = deployment_seq)";
  return (await transaction.all(removeWhere(table, condition), [rows])).length;
}
