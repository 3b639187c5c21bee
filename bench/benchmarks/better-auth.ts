import { type RivalServer, startRival } from "../child-process.ts";
import { bucketPath, nameWidth, writeNames } from "../dataset.ts";
import type { LoadedServer, LoadPlan } from "../load-plan.ts";
import { load, takeTurns, usualTurn } from "../measure.ts";
import { installNpmRivals, npmRivalsFolder } from "../npm-rivals.ts";
import { comparisonRow, forInformation, notMeasuredRow, type Row } from "../row.ts";
import { adminToken } from "../server.ts";
import { verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const rounds = { warmRounds: 1, rounds: 4 };
const keyCount = 1_000;
const rivalKeyWidth = 64;
/** More than either side can create in all rounds. */
const nameCount = 500_000;

const createWords = {
  what: "create consumers with a key, 64 in flight",
  against: "better-auth's api-key plugin on SQLite",
  explanation:
    "Both commit durably before they respond; the rival, on Bun, adds a key to an existing user, while Tollgate also creates the consumer.",
};
const verifyWords = {
  what: `verify-key, ${keyCount.toLocaleString("en")} keys`,
  against: "better-auth's api-key plugin on SQLite",
  explanation:
    "The rival, on Bun, reads the key from SQLite and writes when it was last used, without waiting for the disk; Tollgate responds from memory and writes nothing.",
};

/** Creating and verifying keys against the plugin that many Node projects use for it. */
export async function betterAuth(workspace: Workspace): Promise<Row[]> {
  const failed = await installNpmRivals();
  if (failed) return [createWords, verifyWords].map((words) => notMeasuredRow(words, forInformation, failed.problem));
  return [await compareCreate(workspace), await compareVerify(workspace)];
}

/** The commit waits for the disk only with "FULL"; "NORMAL" is faster, and enough for what verifying writes. */
function startBetterAuth(workspace: Workspace, synchronous: "FULL" | "NORMAL"): Promise<RivalServer> {
  const file = `${workspace.newDirectory("better-auth")}.db`;
  return startRival(`${npmRivalsFolder}/better-auth-server.ts`, [file, synchronous]);
}

async function compareCreate(workspace: Workspace): Promise<Row> {
  await using server = await workspace.startServer(workspace.newDirectory("better-auth"));
  await using rival = await startBetterAuth(workspace, "FULL");
  const file = `${workspace.newDirectory("names")}.slots`;
  await writeNames(file, nameCount);
  const create = (loaded: LoadedServer, request: Pick<LoadPlan, "path" | "token">) => {
    let first = 0;
    return async () => {
      const result = await load(loaded, {
        ...usualTurn,
        ...request,
        method: "POST",
        body: '{"name":"{slot}"}',
        slots: { file, width: nameWidth, order: "once", first },
      });
      first += result.slotsUsed;
      return result;
    };
  };
  const turns = await takeTurns("better-auth, create", rounds, {
    ours: create(server, { path: `${bucketPath}/consumers?with-api-key=true`, token: adminToken }),
    "better-auth": create(rival, { path: "/create" }),
  });
  return comparisonRow(createWords, forInformation, turns.ours, turns["better-auth"]);
}

async function compareVerify(workspace: Workspace): Promise<Row> {
  const dataset = await workspace.dataset(keyCount);
  await using server = await workspace.startServer(dataset.dataDirectory);
  await using rival = await startBetterAuth(workspace, "NORMAL");
  const file = `${workspace.newDirectory("better-auth-keys")}.slots`;
  await Bun.write(file, (await createRivalKeys(rival)).join(""));
  const plan: LoadPlan = {
    ...usualTurn,
    method: "POST",
    path: "/verify",
    body: '{"key":"{slot}"}',
    slots: { file, width: rivalKeyWidth, order: "random" },
  };
  const turns = await takeTurns("better-auth, verify", rounds, {
    ours: () => load(server, verifyPlan(dataset.keysFile)),
    "better-auth": () => load(rival, plan),
  });
  return comparisonRow(verifyWords, forInformation, turns.ours, turns["better-auth"]);
}

async function createRivalKeys(rival: RivalServer): Promise<string[]> {
  const post = (path: string, body: object) =>
    fetch(`http://127.0.0.1:${rival.port}${path}`, { method: "POST", body: JSON.stringify(body) });
  const keys: string[] = [];
  for (let index = 0; index < keyCount; index++) {
    const { key } = (await (await post("/create", { name: `key-${index}` })).json()) as { key: string };
    if (key.length !== rivalKeyWidth) throw new Error(`better-auth made a key of ${key.length} characters`);
    keys.push(key);
  }
  const rejected = await post("/verify", { key: keys[0]!.toLowerCase() });
  if (rejected.status !== 401) throw new Error(`to a wrong key better-auth returned ${rejected.status}`);
  return keys;
}
