import { bucketPath, nameWidth, writeNames } from "../dataset.ts";
import type { LoadPlan } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { atLeast, atMost, comparisonRow, type Row } from "../row.ts";
import { adminToken, call, type RunningServer, startServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const secondsPerTurn = 2;
const nameCount = 1_000_000;

/** What the audit log, with its sealing, adds to creating consumers. */
export async function audit(workspace: Workspace): Promise<Row[]> {
  const namesFile = `${workspace.newDirectory("names")}.slots`;
  await writeNames(namesFile, nameCount);
  const plan = (first: number): LoadPlan => ({
    connections: 64,
    warmSeconds: 0,
    seconds: secondsPerTurn,
    method: "POST",
    path: `${bucketPath}/consumers`,
    token: adminToken,
    body: '{"name":"{slot}"}',
    slots: { file: namesFile, width: nameWidth, order: "once", first },
  });
  await using withAudit = await workspace.startServer(workspace.newDirectory("audit"));
  const flags = ["--preload", "./bench/without-audit.ts"];
  await using without = await startServer(workspace.newDirectory("without-audit"), {}, flags);
  const turnOf = async (server: RunningServer) => {
    await call(server, "POST", `${bucketPath}/consumers`, { name: "the-first-makes-the-bucket" });
    let namesUsed = 0;
    return async () => {
      const result = await load(server, plan(namesUsed));
      namesUsed += result.slotsUsed;
      return result;
    };
  };
  const contestants = { ours: await turnOf(withAudit), without: await turnOf(without) };
  const turns = await takeTurns("audit", { warmRounds: 2, rounds: 15 }, contestants);
  const words = {
    what: "create consumers with the audit log, 64 in flight",
    against: "the same without",
    againstOurselves: true,
    explanation:
      "The same server with and without its audit log; without it, each change is a row of " + "the change feed.",
  };
  return [
    comparisonRow(words, atLeast(0.9), turns.ours, turns.without),
    comparisonRow({ ...words, what: `${words.what}: CPU` }, atMost(1.1), turns.ours, turns.without, "cpuMicroseconds"),
  ];
}
