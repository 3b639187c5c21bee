import { startRival } from "../child-process.ts";
import { deploy, openApiOf } from "../deployment.ts";
import { createGuard, createKey, guards } from "../guarded.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { meter, subscribe, usedOf } from "../metering.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { call, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const path = "/guarded";
const customerKey = "capped";
/** Used up while the server is warmed up: then each request has a price, which is compared with the cap. */
const included = { max: 100, granted: 1_000 };
/** Many short rounds, because the difference is smaller than what one round varies on a busy machine. */
const rounds = { warmRounds: 3, rounds: 41 };
const turn = { ...usualTurn, seconds: 0.5 };

/** The CPU cost of grants and a cap: a customer who has them against one who has only a quota. */
export async function caps(workspace: Workspace): Promise<Row[]> {
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using server = await workspace.startServer(workspace.newDirectory("caps"));
  const guard = await createGuard(server);
  const { key, subscription } = await createCapped(server, guard.metered.bucketPath);
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApiOf({ [path]: { policies: guards } }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstream.port}`, policies: guard.policies },
  });
  const forward = (token: string) => () => load(server, { ...turn, method: "GET", path, host, token });
  const turns = await takeTurns("caps", rounds, { capped: forward(key), plain: forward(guard.key) });
  for (const metered of [subscription, guard.metered])
    if ((await usedOf(server, metered)) <= included.max + included.granted)
      throw new Error("the requests did not use up what is included");
  const words = {
    what: "forward with api-key, quota and rate-limit, with grants and a cap: CPU",
    against: "without grants and a cap",
    againstOurselves: true,
    explanation: "CPU time of a request that is billed beyond the allowance and grants, and compared with a cap.",
  };
  return [comparisonRow(words, atMost(1.1), turns.capped, turns.plain, "cpuMicroseconds")];
}

/** A customer whose usage is billed in tiers, with a grant of units, one of money, and a cap that blocks. */
async function createCapped(server: RunningServer, bucketPath: string) {
  const subscription = await subscribe(server, bucketPath, customerKey, {
    meters: { [meter]: { max: included.max } },
    price: { currency: "EUR", amount: "0", interval: "month" },
    rates: {
      [meter]: {
        overage: "bill",
        tierMode: "graduated",
        tiers: [
          { upTo: 1_000, unitAmount: "0.0001" },
          { upTo: 10_000, unitAmount: "0.00005" },
          { upTo: null, unitAmount: "0.00001" },
        ],
      },
    },
  });
  const customer = `${bucketPath}/customers/${customerKey}`;
  const grants = [
    { meter, amount: included.granted, funding: "promotional" },
    { currency: "EUR", amount: "5.00", funding: "paid" },
  ];
  for (const grant of grants) await call(server, "POST", `${customer}/grants`, grant);
  await call(server, "PATCH", customer, { spendCap: { amount: "1000000.00", action: "block" } });
  return { key: await createKey(server, customerKey, {}), subscription };
}
