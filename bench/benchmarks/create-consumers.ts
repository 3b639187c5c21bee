import { bucketPath, nameWidth, writeNames } from "../dataset.ts";
import type { LoadPlan } from "../load-plan.ts";
import { alternate, load } from "../measure.ts";
import { progress } from "../progress.ts";
import { recordRival } from "../raw-rival.ts";
import { adminToken, call, startServer } from "../server.ts";
import { perSecond, type Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

// Many and short: a disk that others use stalls now and then, and the rival waits for every commit.
const rounds = 9;
const secondsPerRound = 1.5;
const recordedConsumers = 10_000;
/** More than the server can create in all rounds. */
const nameCount = 1_000_000;

/** Durable creates in groups, 64 in flight, against the same rows written raw with a commit for each consumer. */
export async function createConsumers(workspace: Workspace): Promise<Row[]> {
  const namesFile = `${workspace.newDirectory("names")}.slots`;
  await writeNames(namesFile, nameCount);
  const plan = (port: number, first: number): LoadPlan => ({
    port,
    connections: 64,
    warmSeconds: 0,
    seconds: secondsPerRound,
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
      const seconds = 60;
      const result = await load({ ...plan(server.port, nameCount - recordedConsumers), seconds });
      return result.requests;
    },
  });

  await using server = await startServer(workspace.newDirectory("create-consumers-server"));
  await call(server, "POST", `${bucketPath}/consumers?with-api-key=true`, createFirstConsumer);
  let namesUsed = 0;
  const createRate = async () => {
    const result = await load(plan(server.port, namesUsed));
    namesUsed += result.slotsUsed;
    return result.perSecond;
  };
  await createRate();
  const comparison = await alternate("create-consumers", rounds, createRate, () => rival.measure(secondsPerRound));
  return [
    {
      what: "create consumers with a key, 64 in flight",
      against: "raw SQLite, a durable commit each",
      target: { comparison: ">=", value: 3, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    },
  ];
}
