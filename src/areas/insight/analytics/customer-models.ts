import { decimalOf } from "../../../lib/amount.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { ModelUsageCounts } from "./model-usage-counter.ts";
import { modelConsumersTable } from "./model-usage-writer.ts";
import { alignDown, steps } from "./steps.ts";

const days = 30;

interface CustomerSelection {
  consumerId: string;
  /** The deployments whose requests the customer may see. */
  deployments: readonly string[];
  now: number;
}

/** What a customer has used of each model in the last days, without what only concerns the business, such as its cost. */
export async function customerModels(
  reads: Reads,
  accountSeq: number,
  { consumerId, deployments, now }: CustomerSelection,
) {
  const step = steps["1d"].milliseconds;
  const today = alignDown(now, step);
  const from = today - (days - 1) * step;
  const names = deployments.length === 0 ? "NULL" : deployments.map(() => "?").join(", ");
  const rows = await reads.all<{ model: string; currency: string }>(
    `SELECT model, currency, ${modelConsumersTable.countColumns}
     FROM deployments JOIN model_usage_consumers ON deployment_seq = deployments.seq
     WHERE account_seq = ? AND step = ? AND time >= ? AND time < ? AND consumer_id = ? AND name IN (${names})`,
    [accountSeq, step, from, today + step, consumerId, ...deployments],
  );
  const models = [...Map.groupBy(rows, ({ model, currency }) => JSON.stringify([model, currency])).values()].map(
    (ofModel) => {
      const sums = new ModelUsageCounts();
      for (const row of ofModel) modelConsumersTable.addRow(sums, row);
      const { requests, input, cached, cacheWrite, output, charge } = sums;
      const { model, currency } = ofModel[0]!;
      const money = currency === "" ? null : { currency, amount: decimalOf(BigInt(charge)) };
      return { model, requests, input, cached, cacheWrite, output, charge: money };
    },
  );
  models.sort((one, other) => other.requests - one.requests || (one.model < other.model ? -1 : 1));
  return { from: formatDateTime(from), data: models };
}
