import { bucketPath, nameWidth, writeNames } from "../dataset.ts";
import type { LoadPlan } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { progress } from "../progress.ts";
import { recordRival } from "../raw-rival.ts";
import { atLeast, comparisonRow, forInformation, type Row } from "../row.ts";
import { adminToken, call } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const secondsPerTurn = 1;
const recordedConsumers = 10_000;
/** More than the server can create in all rounds. */
const nameCount = 1_000_000;

/** Durable creates in groups, 64 in flight, against the same rows written raw with a commit for each row, or each consumer. */
export async function createConsumers(workspace: Workspace): Promise<Row[]> {
  const namesFile = `${workspace.newDirectory("names")}.slots`;
  await writeNames(namesFile, nameCount);
  const plan = (first: number, seconds: number): LoadPlan => ({
    connections: 64,
    warmSeconds: 0,
    seconds,
    method: "POST",
    path: `${bucketPath}/consumers?with-api-key=true`,
    token: adminToken,
    body: '{"name":"{slot}"}',
    slots: { file: namesFile, width: nameWidth, order: "once", first },
  });
  const createFirstConsumer = { name: "the-first-makes-the-bucket" };

  progress("create-consumers: recording the rows that the rival writes");
  const rival = await recordRival(workspace, "create-consumers", {
    async prepare(server) {
      await call(server, "POST", `${bucketPath}/consumers?with-api-key=true`, createFirstConsumer);
    },
    async request(server) {
      const result = await load(server, plan(nameCount - recordedConsumers, 60));
      return result.requests;
    },
  });

  await using server = await workspace.startServer(workspace.newDirectory("create-consumers-server"));
  await call(server, "POST", `${bucketPath}/consumers?with-api-key=true`, createFirstConsumer);
  let namesUsed = 0;
  // Many short rounds: a shared disk stalls now and then, and the rival waits for every commit.
  const turns = await takeTurns(
    "create-consumers",
    { warmRounds: 1, rounds: 7 },
    {
      ours: async () => {
        const result = await load(server, plan(namesUsed, secondsPerTurn));
        namesUsed += result.slotsUsed;
        return result;
      },
      commitPerRow: () => rival.write(secondsPerTurn, "per row"),
      commitPerConsumer: () => rival.write(secondsPerTurn),
    },
  );
  const what = "create consumers with a key, 64 in flight";
  const ours = "Every response comes after its commit is on disk.";
  return [
    comparisonRow(
      {
        what,
        against: "raw SQLite, a durable commit per row",
        explanation: `${ours} The rival writes the same rows as the server (a consumer, a key, their counters and changes) one after the other, each with its own durable commit.`,
      },
      atLeast(3),
      turns.ours,
      turns.commitPerRow,
    ),
    comparisonRow(
      {
        what,
        against: "raw SQLite, a durable commit per consumer",
        explanation: `${ours} The rival writes the same rows as the server, one durable commit for all rows of a consumer, one after the other: what is left here is what HTTP, checks and sealing cost.`,
      },
      forInformation,
      turns.ours,
      turns.commitPerConsumer,
    ),
  ];
}
