import { bucketPath } from "../dataset.ts";
import { load, takeTurns } from "../measure.ts";
import { progress } from "../progress.ts";
import { recordRival } from "../raw-rival.ts";
import { atLeast, comparisonRow, type Row } from "../row.ts";
import { adminToken, call, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const secondsPerTurn = 1.2;
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

  await using server = await workspace.startServer(workspace.newDirectory("bulk-keys-server"));
  await createConsumer(server);
  const plan = {
    connections: 1,
    warmSeconds: 0.2,
    seconds: secondsPerTurn,
    method: "POST",
    path,
    token: adminToken,
    body: JSON.stringify(items),
  };
  const turns = await takeTurns(
    "bulk-keys",
    { warmRounds: 1, rounds: 5 },
    { ours: () => load(server, plan), raw: () => rival.write(secondsPerTurn) },
  );
  return [
    comparisonRow(
      {
        what: "$bulk of 1,000 keys",
        against: "raw SQLite, one transaction of 1,000",
        explanation:
          "One request after the other, each a durable transaction of 1,000 keys; the rival writes the same rows as the server.",
      },
      atLeast(0.3),
      turns.ours,
      turns.raw,
    ),
  ];
}
