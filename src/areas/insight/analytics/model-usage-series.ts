import { decimalOf } from "../../../lib/amount.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { none } from "./counted-table.ts";
import { ModelUsageCounts } from "./model-usage-counter.ts";
import { modelConsumersTable, modelUsageTable } from "./model-usage-writer.ts";
import type { TimeSteps } from "./range.ts";
import { namesOf, type PointKind, readSeries, selectionOf } from "./series.ts";

interface ModelSeriesQuery {
  accountSeq: number;
  range: TimeSteps;
  by: "model" | "provider" | "deployment" | "consumer" | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  model: string | undefined;
  provider: string | undefined;
  consumer: string | undefined;
}

/** Sums by currency, which is empty without a cost. */
type ModelPoint = Map<string, ModelUsageCounts>;

const kind: PointKind<ModelPoint, ReturnType<typeof shownCounts>> = {
  create: () => new Map(),
  add(point, row) {
    const currency = row.currency as string;
    const counts = point.get(currency) ?? new ModelUsageCounts();
    modelUsageTable.addRow(counts, row);
    point.set(currency, counts);
  },
  merge(point, from, sign) {
    for (const [currency, added] of from) {
      const counts = point.get(currency) ?? new ModelUsageCounts();
      modelUsageTable.merge(counts, added, sign);
      if (counts.requests === 0) point.delete(currency);
      else point.set(currency, counts);
    }
  },
  show: shownCounts,
  sizeOf: (point) => point.values().reduce((sum, { requests }) => sum + requests, 0),
  ranked: "requests",
};

function shownCounts(point: ModelPoint) {
  const sum = new ModelUsageCounts();
  for (const counts of point.values()) modelUsageTable.merge(sum, counts);
  const { cost, charge, firstBytes, firstByteMs, ...shown } = sum;
  const currencies = [...point.keys()].filter((currency) => currency !== none);
  const money = (amount: number) => (currencies.length <= 1 ? decimalOf(BigInt(amount)) : null);
  return {
    ...shown,
    currency: currencies.length === 1 ? currencies[0]! : null,
    cost: money(cost),
    charge: money(charge),
    margin: money(charge - cost),
    firstByteMs: firstBytes === 0 ? null : Math.round(firstByteMs / firstBytes),
  };
}

export async function readModelSeries(
  reads: Reads,
  { accountSeq, range, by, limit, model, provider, consumer }: ModelSeriesQuery,
) {
  const owners = {
    where: "deployment_seq IN (SELECT seq FROM deployments WHERE account_seq = ?)",
    parameters: [accountSeq],
  };
  // Without a consumer, the smaller table has the same sums.
  const selection = (isByConsumer: boolean) => {
    const table = isByConsumer ? modelConsumersTable : modelUsageTable;
    const selected = selectionOf(table, owners, { model, provider, consumer });
    return { ...selected, columns: `${selected.columns}, currency` };
  };
  const column = by === "deployment" ? "deployment_seq" : by;
  const names = by === "deployment" ? await namesOf(reads, "deployments", accountSeq) : undefined;
  return readSeries(reads, {
    kind,
    range,
    limit,
    by: column && [column],
    fine: selection(by === "consumer" || consumer !== undefined),
    total: selection(consumer !== undefined),
    keyOf: (row) => {
      const value = column ? row[column]! : none;
      if (value === none) return null;
      return names ? (names.get(value as number) ?? null) : String(value);
    },
  });
}
