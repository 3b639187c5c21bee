import type { Dataset } from "../dataset.ts";
import { alternate, load } from "../measure.ts";
import { progress } from "../progress.ts";
import { startServer } from "../server.ts";
import { perSecond, type Row } from "../table.ts";
import { verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 7;
const warmSecondsAtMost = 90;
const warmSecondsOfFew = 10;

/** verify-key drawn evenly from a million keys, against the same server with a thousand. */
export async function verifyMillionKeys(workspace: Workspace): Promise<Row[]> {
  const few = await workspace.dataset(1_000);
  const many = await workspace.dataset(1_000_000);
  await using serverOfFew = await startServer(few.dataDirectory);
  await using serverOfMany = await startServer(many.dataDirectory);

  progress("verify-million-keys: warming: every key once");
  const everyKeyOnce = { ...verifyPlan(many, serverOfMany.port), warmSeconds: 0, seconds: warmSecondsAtMost };
  const warm = await load({ ...everyKeyOnce, slots: { ...everyKeyOnce.slots!, order: "once" } });
  progress(`verify-million-keys: warmed with ${warm.requests} keys at ${perSecond(warm.perSecond)}`);

  // The compiler needs its time too, or the server of many would win by having run for longer.
  await load({ ...verifyPlan(few, serverOfFew.port), warmSeconds: 0, seconds: warmSecondsOfFew });

  const rate = (dataset: Dataset, port: number) => async () =>
    (await load({ ...verifyPlan(dataset, port), warmSeconds: 0.5, seconds: 2 })).perSecond;
  const rateOfMany = rate(many, serverOfMany.port);
  const rateOfFew = rate(few, serverOfFew.port);
  const comparison = await alternate("verify-million-keys", rounds, rateOfMany, rateOfFew);
  return [
    {
      what: "verify-key, 1,000,000 keys",
      against: "verify-key, 1,000 keys",
      target: { comparison: ">=", value: 0.9, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    },
  ];
}
