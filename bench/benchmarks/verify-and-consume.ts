import { createKey } from "../guarded.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { meter, subscribe } from "../metering.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { adminToken, call } from "../server.ts";
import { verifyPath } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const plentiful = 1_000_000_000;
const customer = "plain";

/** The CPU cost of `consume` in a call of verify-key: against the same call without it. */
export async function verifyAndConsume(workspace: Workspace): Promise<Row[]> {
  await using server = await workspace.startServer(workspace.newDirectory("verify-and-consume"));
  const key = await createKey(server, customer, {});
  const { id: bucketId } = await call<{ id: string }>(server, "POST", "/v1/metering");
  await subscribe(server, `/v1/metering/${bucketId}`, customer, { meters: { [meter]: { max: plentiful } } });
  const verify = (more: object) => () =>
    load(server, {
      ...usualTurn,
      method: "POST",
      path: verifyPath,
      token: adminToken,
      body: JSON.stringify({ key, ...more }),
    });
  const consume = { bucketId, meters: { [meter]: 1 } };
  const turns = await takeTurns(
    "verify-and-consume",
    { warmRounds: 2, rounds: 21 },
    { consume: verify({ consume }), verify: verify({}) },
  );
  return [
    comparisonRow(
      {
        what: "verify-key with `consume`, one key",
        against: "verify-key",
        againstOurselves: true,
        explanation:
          "CPU time of a call that verifies a key and takes from the plan of its consumer, against one that only verifies.",
      },
      atMost(1.6),
      turns.consume,
      turns.verify,
      "cpuMicroseconds",
    ),
  ];
}
