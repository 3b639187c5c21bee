import { startRival } from "../child-process.ts";
import type { LoadPlan } from "../load-plan.ts";
import { alternate, load } from "../measure.ts";
import { progress } from "../progress.ts";
import { call, startServer } from "../server.ts";
import { median, perSecond, type Row } from "../table.ts";
import { firstKey, verifyPath, verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 9;
const keyCount = 1_000;

/** verify-key against a Bun.serve that only parses the body, and both against what the load generator can do. */
export async function verifyKey(workspace: Workspace): Promise<Row[]> {
  const dataset = await workspace.dataset(keyCount);
  await using server = await startServer(dataset.dataDirectory);
  const answer = await call(server, "POST", verifyPath, { key: firstKey(dataset) });
  const answerBytes = String(JSON.stringify(answer).length);
  await using bare = await startRival("bench/rivals/bare-server.ts", [answerBytes]);
  await using fixedBytes = await startRival("bench/rivals/fixed-bytes-server.ts", [answerBytes]);

  const loadCpu: number[] = [];
  const rate = (port: number) => async () => {
    const plan: LoadPlan = { ...verifyPlan(dataset, port), warmSeconds: 0.5, seconds: 2 };
    const result = await load(plan);
    loadCpu.push(result.loadCpu);
    return result.perSecond;
  };
  // Both servers are compiled as they run: the first seconds are slower and are not measured.
  for (const port of [server.port, bare.port]) await load({ ...verifyPlan(dataset, port), warmSeconds: 0, seconds: 5 });
  const comparison = await alternate("verify-key", rounds, rate(server.port), rate(bare.port));
  const typicalLoadCpu = median(loadCpu);
  progress(`verify-key: the load generator used ${typicalLoadCpu.toFixed(2)} of a core`);
  const ceiling = await alternate("load generator", 3, rate(fixedBytes.port), rate(server.port));

  return [
    {
      what: "verify-key, 1,000 keys",
      against: "bare Bun.serve",
      target: { comparison: ">=", value: 0.75, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${perSecond(comparison.ours)} against ${perSecond(comparison.theirs)}`,
    },
    {
      what: "load generator, answered with fixed bytes",
      against: "verify-key, 1,000 keys",
      target: { comparison: ">=", value: 1.5, unit: "×" },
      reached: ceiling.ratio,
      rounds: ceiling.ratios,
      measured: `${perSecond(ceiling.ours)} against ${perSecond(ceiling.theirs)}, at ${typicalLoadCpu.toFixed(2)} of a core`,
    },
  ];
}
