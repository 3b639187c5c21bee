import { decimalOf } from "../../lib/amount.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { readModelUsage } from "./model-usage-store.ts";
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
  const selection = { accountSeq, step, from, to: today + step, consumerId, deployments };
  const rows = await readModelUsage(reads, selection, "model");
  const models = [...Map.groupBy(rows, ({ key, currency }) => JSON.stringify([key, currency])).values()].map(
    (ofModel) => {
      const sum = (name: "requests" | "input" | "cached" | "cacheWrite" | "output" | "charge") =>
        ofModel.reduce((total, row) => total + Number(row[name]), 0);
      const { key, currency } = ofModel[0]!;
      return {
        model: key!,
        requests: sum("requests"),
        input: sum("input"),
        cached: sum("cached"),
        cacheWrite: sum("cacheWrite"),
        output: sum("output"),
        charge: currency === "" ? null : { currency, amount: decimalOf(BigInt(sum("charge"))) },
      };
    },
  );
  models.sort((one, other) => other.requests - one.requests || (one.model < other.model ? -1 : 1));
  return { from: formatDateTime(from), data: models };
}
