import { startRival } from "../child-process.ts";
import { generateKey } from "../generated-key.ts";
import type { LoadedServer } from "../load-plan.ts";
import { load, takeTurns } from "../measure.ts";
import { progress } from "../progress.ts";
import { atLeast, atMost, comparisonRow, forInformation, type Row } from "../row.ts";
import { median } from "../sample.ts";
import { call, type RunningServer } from "../server.ts";
import { firstKey, verifyPath, verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const keyCount = 1_000;
const hit = "verify-key, 1,000 keys";

/** verify-key against a Bun.serve that only parses the body, keys that are rejected, and what the load generator can do. */
export async function verifyKey(workspace: Workspace): Promise<Row[]> {
  const dataset = await workspace.dataset(keyCount);
  await using server = await workspace.startServer(dataset.dataDirectory);
  const key = firstKey(dataset);
  const prefix = key.slice(0, key.indexOf("_"));
  const unknownFile = await writeKeys(workspace, () => generateKey(prefix));
  const malformedFile = await writeKeys(workspace, () => withWrongChecksum(generateKey(prefix)));
  const response = await expectVerdict(server, key, undefined);
  await expectVerdict(server, generateKey(prefix), "not_found");
  await expectVerdict(server, withWrongChecksum(generateKey(prefix)), "malformed");

  const responseBytes = String(response.length);
  await using bare = await startRival("bench/rivals/bare-server.ts", [responseBytes]);
  await using fixedBytes = await startRival("bench/rivals/fixed-bytes-server.ts", [responseBytes]);

  const loadCpu: number[] = [];
  const turn = (loaded: LoadedServer, keysFile: string) => async () => {
    const result = await load(loaded, verifyPlan(keysFile));
    if (loaded === server) loadCpu.push(result.loadCpu);
    return result;
  };
  const known = turn(server, dataset.keysFile);
  const turns = await takeTurns(
    "verify-key",
    { warmRounds: 2, rounds: 9 },
    { known, bare: turn(bare, dataset.keysFile), "fixed bytes": turn(fixedBytes, dataset.keysFile) },
  );
  // Measured separately afterwards, so that rejections do not affect the rows above.
  const rejections = await takeTurns(
    "verify-key, rejections",
    { warmRounds: 1, rounds: 3 },
    { known, unknown: turn(server, unknownFile), malformed: turn(server, malformedFile) },
  );
  progress(`verify-key: the load generator used ${median(loadCpu).toFixed(2)} of a core`);

  return [
    comparisonRow(
      {
        what: hit,
        against: "bare Bun.serve",
        explanation: "Keys that exist, against a Bun.serve that parses the same body and returns as many bytes.",
      },
      atLeast(1.05),
      turns.known,
      turns.bare,
    ),
    comparisonRow(
      {
        what: hit,
        against: "a socket that returns fixed bytes",
        explanation: "The rival shows the maximum of the load generator, which must be well above Tollgate.",
      },
      atMost(0.67),
      turns.known,
      turns["fixed bytes"],
    ),
    comparisonRow(
      {
        what: "verify-key, unknown keys in the correct format",
        against: hit,
        againstOurselves: true,
        explanation: "Each is looked up in the database, because unknown keys are not cached.",
      },
      forInformation,
      rejections.unknown,
      rejections.known,
    ),
    comparisonRow(
      {
        what: "verify-key, keys with a wrong checksum",
        against: hit,
        againstOurselves: true,
        explanation: "Rejected without a database query.",
      },
      forInformation,
      rejections.malformed,
      rejections.known,
    ),
  ];
}

async function writeKeys(workspace: Workspace, newKey: () => string): Promise<string> {
  const file = `${workspace.newDirectory("keys")}.slots`;
  await Bun.write(file, Array.from({ length: keyCount }, newKey).join(""));
  return file;
}

function withWrongChecksum(key: string): string {
  return key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
}

async function expectVerdict(server: RunningServer, key: string, rejection: string | undefined): Promise<string> {
  const verdict = await call<{ code?: string }>(server, "POST", verifyPath, { key });
  if (verdict.code !== rejection) throw new Error(`verify-key returned ${verdict.code} instead of ${rejection}`);
  return JSON.stringify(verdict);
}
