import { load, takeTurns, usualTurn } from "../measure.ts";
import { createMetered, type Metered, meter, usedOf } from "../metering.ts";
import { atLeast, atMost, comparisonRow, limitRow, type Row } from "../row.ts";
import { adminToken } from "../server.ts";
import { verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

/** quotas/consume of one subscription, 64 in flight, against verify-key on the same server; and that it never oversells. */
export async function consumeQuota(workspace: Workspace): Promise<Row[]> {
  const dataset = await workspace.dataset(1_000);
  await using server = await workspace.startServer(dataset.dataDirectory);
  const consume = ({ subscriptionPath }: Metered) =>
    load(server, {
      ...usualTurn,
      method: "POST",
      path: `${subscriptionPath}/quotas/consume`,
      token: adminToken,
      body: `{"meters":{"${meter}":1}}`,
    });
  const plenty = await createMetered(server, 1_000_000_000);
  const turns = await takeTurns(
    "consume-quota",
    { warmRounds: 2, rounds: 7 },
    { consume: () => consume(plenty), verify: () => load(server, verifyPlan(dataset.keysFile)) },
  );

  const max = 5_000;
  const scarce = await createMetered(server, max);
  await consume(scarce);
  const used = await usedOf(server, scarce);
  return [
    comparisonRow(
      {
        what: "consume from one quota, 64 in flight",
        against: "verify-key, 1,000 keys",
        againstOurselves: true,
        explanation: "All requests consume from one subscription; verify-key runs on the same server.",
      },
      atLeast(0.5),
      turns.consume,
      turns.verify,
    ),
    limitRow(
      {
        what: `used of a quota of ${max.toLocaleString("en")}`,
        against: "the quota",
        explanation: "64 concurrent clients request more than the quota; not one more may be given.",
        note: `${used} of ${max}`,
      },
      atMost(1),
      [used / max],
    ),
  ];
}
