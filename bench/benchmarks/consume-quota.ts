import type { LoadPlan } from "../load-plan.ts";
import { alternate, load } from "../measure.ts";
import { createMetered, meter, usedOf } from "../metering.ts";
import { adminToken, startServer } from "../server.ts";
import { perSecond, type Row } from "../table.ts";
import { verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 7;

/** quotas/consume of one subscription, 64 in flight, against verify-key on the same server; and that it never oversells. */
export async function consumeQuota(workspace: Workspace): Promise<Row[]> {
  const dataset = await workspace.dataset(1_000);
  await using server = await startServer(dataset.dataDirectory);
  const plenty = await createMetered(server, 1_000_000_000);
  const timing = { warmSeconds: 0.3, seconds: 1.5 };
  const plan: Omit<LoadPlan, "path"> = {
    ...timing,
    port: server.port,
    connections: 64,
    method: "POST",
    token: adminToken,
    body: `{"meters":{"${meter}":1}}`,
  };
  const consumeRate = async () =>
    (await load({ ...plan, path: `${plenty.subscriptionPath}/quotas/consume` })).perSecond;
  const verifyRate = async () => (await load({ ...verifyPlan(dataset, server.port), ...timing })).perSecond;
  await consumeRate();
  await verifyRate();
  const comparison = await alternate("consume-quota", rounds, consumeRate, verifyRate);

  const max = 5_000;
  const scarce = await createMetered(server, max);
  await load({ ...plan, path: `${scarce.subscriptionPath}/quotas/consume` });
  const used = await usedOf(server, scarce);
  return [
    {
      what: "consume from one quota, 64 in flight",
      against: "verify-key on the same server",
      target: { comparison: ">=", value: 0.5, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    },
    {
      what: `used of a quota of ${max.toLocaleString("en")} that 64 at a time want more of`,
      against: "the quota",
      target: { comparison: "<=", value: 1, unit: "×" },
      reached: used / max,
      rounds: [used / max],
      measured: `${used} of ${max}`,
    },
  ];
}
