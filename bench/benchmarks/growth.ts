import { deepPage, expectLists, firstPage, newWorks, type Point, type Work } from "../growth-works.ts";
import { load, takeTurns } from "../measure.ts";
import { progress } from "../progress.ts";
import { atMost, comparisonRow, forInformation, type Row } from "../row.ts";
import type { Sample } from "../sample.ts";
import { verifyPlan } from "../verify-plan.ts";
import type { Workspace } from "../workspace.ts";

const sizes = [1_000, 10_000, 100_000, 1_000_000];
/** Each server is warmed up separately, or the larger one would win by having run longer. */
const warmSecondsOfEach = 2;
const everyKeyWithinSeconds = 300;

/** The same work among a thousand consumers and among more and more of them. */
export async function growth(workspace: Workspace): Promise<Row[]> {
  await using servers = new AsyncDisposableStack();
  const points: Point[] = [];
  for (const consumers of sizes) {
    const dataset = await workspace.dataset(consumers);
    const server = servers.use(await workspace.startServer(dataset.dataDirectory));
    points.push({ consumers, dataset, server });
  }
  for (const point of points) await expectLists(point);
  for (const point of points) await warm(point);

  const rows: Row[] = [];
  const ofMost = new Map<Work, Sample[]>();
  for (const work of newWorks(workspace)) {
    const samples = await measureAt(points, work);
    ofMost.set(work, samples.at(-1)!);
    rows.push(...rowsOf(work, samples));
  }
  const words = {
    what: `deep page, ${labelOf(sizes.at(-1)!)}`,
    against: `first page, ${labelOf(sizes.at(-1)!)}`,
    againstOurselves: true,
    explanation: "Median latency of one request at a time, the page at offset 900,000 against that at 0.",
  };
  rows.push(comparisonRow(words, atMost(25), ofMost.get(deepPage)!, ofMost.get(firstPage)!, "p50Microseconds"));
  return rows;
}

/** Every key is verified once, so that all are cached: the cost of a first verification is not measured. */
async function warm({ consumers, dataset, server }: Point): Promise<void> {
  const plan = { ...verifyPlan(dataset.keysFile), warmSeconds: 0 };
  const everyKeyOnce = { ...plan, seconds: everyKeyWithinSeconds, slots: { ...plan.slots!, order: "once" as const } };
  const { slotsUsed } = await load(server, everyKeyOnce);
  if (slotsUsed < consumers) throw new Error("not every key could be verified in time");
  progress(`growth: every key of ${labelOf(consumers)} verified once`);
  await load(server, { ...plan, seconds: warmSecondsOfEach });
}

/** Samples of the work at every point, in their order. */
async function measureAt(points: readonly Point[], work: Work): Promise<Sample[][]> {
  const contestants = points.map((point) => [labelOf(point.consumers), () => work.turn(point)] as const);
  const rounds = { warmRounds: 1, rounds: work.rounds };
  return Object.values(await takeTurns(`growth: ${work.name}`, rounds, Object.fromEntries(contestants)));
}

function rowsOf({ name, explanation, target, figure }: Work, [fewest, ...others]: Sample[][]): Row[] {
  return others.map((samples, index) => {
    const consumers = sizes[index + 1]!;
    const words = {
      what: `${name}, ${labelOf(consumers)}`,
      against: labelOf(sizes[0]!),
      againstOurselves: true,
      explanation,
    };
    const promised = consumers === sizes.at(-1) ? target : forInformation;
    return { ...comparisonRow(words, promised, samples, fewest!, figure), growth: { work: name, consumers } };
  });
}

function labelOf(consumers: number): string {
  return `${consumers.toLocaleString("en")} consumers`;
}
