import { bucketPath, consumerName, nameWidth } from "../dataset.ts";
import type { LoadPlan } from "../load-plan.ts";
import { alternate, load } from "../measure.ts";
import { adminToken, call, type RunningServer, startServer } from "../server.ts";
import type { Row } from "../table.ts";
import type { Workspace } from "../workspace.ts";

const rounds = 5;
const fewCount = 1_000;
const manyCount = 1_000_000;
const deepOffset = 900_000;
const firstPage = `${bucketPath}/consumers?limit=100&offset=0`;
const deepPage = `${bucketPath}/consumers?limit=100&offset=${deepOffset}`;

/** Requests whose cost must not grow with the number of consumers, and how many consumers match each. */
const questions = [
  { what: "read one consumer", limit: 1.5, path: `${bucketPath}/consumers/{slot}` },
  { what: "first page, total included", limit: 1.5, path: firstPage, few: fewCount, many: manyCount },
  { what: "by a tag of 500 consumers", limit: 2, path: `${firstPage}&tag.cohort=pilot`, few: 500, many: 500 },
  { what: "by a tag of half of them", limit: 2, path: `${firstPage}&tag.plan=gold`, few: 500, many: manyCount / 2 },
];

/** How much slower one request at a time gets when a thousand consumers become a million. */
export async function lists(workspace: Workspace): Promise<Row[]> {
  const few = await workspace.dataset(fewCount);
  const many = await workspace.dataset(manyCount);
  await using serverOfFew = await startServer(few.dataDirectory);
  await using serverOfMany = await startServer(many.dataDirectory);
  const latency = (server: RunningServer, path: string, namesFile: string) => async () => {
    const plan: LoadPlan = {
      port: server.port,
      connections: 1,
      warmSeconds: 0.3,
      seconds: 1,
      method: "GET",
      path,
      token: adminToken,
      slots: { file: namesFile, width: nameWidth, order: "random" },
    };
    return (await load(plan)).p50Microseconds;
  };

  const rows: Row[] = [];
  const compare = async (
    what: string,
    against: string,
    limit: number,
    ours: () => Promise<number>,
    theirs: () => Promise<number>,
  ) => {
    await ours();
    await theirs();
    const comparison = await alternate(`lists: ${what}`, rounds, ours, theirs);
    rows.push({
      what: `${what}, 1,000,000 consumers`,
      against,
      target: { comparison: "<=", value: limit, unit: "×" },
      reached: comparison.ratio,
      rounds: comparison.ratios,
      measured: `${comparison.ours.toFixed(0)} µs against ${comparison.theirs.toFixed(0)} µs`,
    });
  };
  for (const question of questions) {
    if (question.few !== undefined) await expectTotal(serverOfFew, question.path, question.few);
    if (question.many !== undefined) await expectTotal(serverOfMany, question.path, question.many);
    const ours = latency(serverOfMany, question.path, many.namesFile);
    const theirs = latency(serverOfFew, question.path, few.namesFile);
    await compare(question.what, "1,000 consumers", question.limit, ours, theirs);
  }
  await expectTotal(serverOfMany, deepPage, manyCount);
  await expectFirst(serverOfMany, deepPage, consumerName(deepOffset));
  const ours = latency(serverOfMany, deepPage, many.namesFile);
  await compare("page at offset 900,000", "first page", 25, ours, latency(serverOfMany, firstPage, many.namesFile));
  return rows;
}

/** A list that finds the wrong number of consumers is fast for the wrong reason. */
async function expectTotal(server: RunningServer, path: string, total: number): Promise<void> {
  const answer = await call<{ data: unknown[]; total: number }>(server, "GET", path);
  if (answer.total !== total || answer.data.length !== 100) {
    throw new Error(`${path} found ${answer.data.length} of ${answer.total} consumers; of ${total} expected`);
  }
}

async function expectFirst(server: RunningServer, path: string, name: string): Promise<void> {
  const answer = await call<{ data: { name: string }[] }>(server, "GET", path);
  if (answer.data[0]?.name !== name) throw new Error(`${path} begins with ${answer.data[0]?.name} instead of ${name}`);
}
