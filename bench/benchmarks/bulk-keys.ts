import { bucketPath } from "../dataset.ts";
import type { LoadPlan } from "../load-plan.ts";
import { alternate, load } from "../measure.ts";
import { progress } from "../progress.ts";
import { recordRival } from "../raw-rival.ts";
import { adminToken, call, type RunningServer, startServer } from "../server.ts";
import { perSecond, type Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const secondsPerRound = 2;
const bulkSize = 1_000;
const consumerName = "bulk";
const recordedRequests = 100;

/** $bulk of 1,000 generated keys, one request after the other, against the same rows raw in one transaction. */
export async function bulkKeys(workspace: Workspace): Promise<Row[]> {
  const path = `${bucketPath}/consumers/${consumerName}/keys/$bulk`;
  const items = Array.from({ length: bulkSize }, () => ({}));
  const createConsumer = async (server: RunningServer) => {
    await call(server, "POST", `${bucketPath}/consumers`, { name: consumerName });
  };

  progress("bulk-keys: recording the rows that the rival writes");
  const rival = await recordRival(workspace, "bulk-keys", {
    prepare: createConsumer,
    async request(server) {
      for (let request = 0; request < recordedRequests; request++) await call(server, "POST", path, items);
      return recordedRequests;
    },
  });

  await using server = await startServer(workspace.newDirectory("bulk-keys-server"));
  await createConsumer(server);
  const plan: LoadPlan = {
    port: server.port,
    connections: 1,
    warmSeconds: 0.3,
    seconds: secondsPerRound,
    method: "POST",
    path,
    token: adminToken,
    body: JSON.stringify(items),
  };
  const bulkRate = async () => (await load(plan)).perSecond * bulkSize;
  const rawRate = async () => (await rival.measure(secondsPerRound)) * bulkSize;
  await bulkRate();
  const comparison = await alternate("bulk-keys", rounds, bulkRate, rawRate);
  return [
    {
      what: "$bulk of 1,000 keys",
      against: "raw SQLite, one transaction",
      target: { comparison: ">=", value: 0.3, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    },
  ];
}
