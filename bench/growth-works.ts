import { bucketPath, type Dataset, nameWidth } from "./dataset.ts";
import { load } from "./measure.ts";
import { atLeast, atMost, forInformation, type Target } from "./row.ts";
import type { Figure, Sample } from "./sample.ts";
import { consumerName } from "./seeded-consumers.ts";
import { adminToken, call, type RunningServer } from "./server.ts";
import { verifyPlan } from "./verify-plan.ts";
import type { Workspace } from "./workspace.ts";

/** A server with a number of consumers of one key each. */
export interface Point {
  readonly consumers: number;
  readonly dataset: Dataset;
  readonly server: RunningServer;
}

/** An operation that should cost the same with a million consumers as with a thousand. */
export interface Work {
  readonly name: string;
  readonly explanation: string;
  /** At the largest point, against the smallest. */
  readonly target: Target;
  readonly figure: Figure;
  readonly rounds: number;
  turn(point: Point): Promise<Sample>;
}

/** Creating comes last, because it changes the number of consumers. */
export function newWorks(workspace: Workspace): Work[] {
  return [verify, readOne, firstPage, byTagOfFew, byTagOfHalf, deepPage, newCreate(workspace)];
}

const verify: Work = {
  name: "verify-key",
  explanation: "Requests per second over 64 connections, with random keys, each verified once before.",
  target: atLeast(0.9),
  figure: "perSecond",
  rounds: 5,
  turn: ({ dataset, server }) => load(server, verifyPlan(dataset.keysFile)),
};

const oneByOne = { connections: 1, warmSeconds: 0.1, seconds: 0.4, token: adminToken };
const medianLatency = "Median latency of one request at a time";

function reading(name: string, explanation: string, target: Target, pathAmong: (consumers: number) => string): Work {
  return {
    name,
    explanation: `${medianLatency}, ${explanation}.`,
    target,
    figure: "p50Microseconds",
    rounds: 5,
    turn: ({ consumers, dataset, server }) =>
      load(server, {
        ...oneByOne,
        method: "GET",
        path: pathAmong(consumers),
        slots: { file: dataset.namesFile, width: nameWidth, order: "random" },
      }),
  };
}

const pageAt = (offset: number) => `${bucketPath}/consumers?limit=100&offset=${offset}`;
const pageByTagOfFew = `${pageAt(0)}&tag.cohort=pilot`;
const pageByTagOfHalf = `${pageAt(0)}&tag.plan=gold`;
/** At every size there are a hundred consumers after this offset. */
const deepOffset = (consumers: number) => consumers * 0.9;

const readOne = reading(
  "read one consumer",
  "each for another consumer",
  atMost(1.5),
  () => `${bucketPath}/consumers/{slot}`,
);
export const firstPage = reading("first page", "for 100 consumers and the total", atMost(1.5), () => pageAt(0));
const byTagOfFew = reading(
  "page by a tag of 500",
  "for 100 of the 500 consumers that have the tag, and their total",
  atMost(2),
  () => pageByTagOfFew,
);
const byTagOfHalf = reading(
  "page by a tag of half",
  "for 100 of the half of all consumers that have the tag, and their total",
  atMost(2),
  () => pageByTagOfHalf,
);
export const deepPage = reading(
  "deep page",
  "for 100 consumers after nine tenths of all",
  forInformation,
  (consumers) => pageAt(deepOffset(consumers)),
);

/** Few, so that the number of consumers hardly changes during the measurement. */
const createdPerTurn = 80;

function newCreate(workspace: Workspace): Work {
  const createdAt = new Map<Point, number>();
  return {
    name: "create consumer",
    explanation: `${medianLatency}, each durable and with a key; the few hundred created during the measurement are not removed.`,
    target: forInformation,
    figure: "p50Microseconds",
    rounds: 5,
    async turn(point) {
      const created = createdAt.get(point) ?? 0;
      createdAt.set(point, created + createdPerTurn);
      const file = `${workspace.newDirectory("new-names")}.slots`;
      const firstFree = point.consumers + created;
      const names = Array.from({ length: createdPerTurn }, (_, index) => consumerName(firstFree + index));
      await Bun.write(file, names.join(""));
      return load(point.server, {
        ...oneByOne,
        warmSeconds: 0,
        seconds: 30,
        method: "POST",
        path: `${bucketPath}/consumers?with-api-key=true`,
        body: '{"name":"{slot}"}',
        slots: { file, width: nameWidth, order: "once" },
      });
    },
  };
}

/** A list with a wrong number of consumers would be fast for the wrong reason. */
export async function expectLists({ consumers, server }: Point): Promise<void> {
  await expectPage(server, pageAt(0), consumers, consumerName(0));
  await expectPage(server, pageByTagOfFew, 500, consumerName(0));
  await expectPage(server, pageByTagOfHalf, consumers / 2, consumerName(0));
  await expectPage(server, pageAt(deepOffset(consumers)), consumers, consumerName(deepOffset(consumers)));
}

async function expectPage(server: RunningServer, path: string, total: number, first: string): Promise<void> {
  const response = await call<{ data: { name: string }[]; total: number }>(server, "GET", path);
  if (response.total !== total || response.data.length !== 100)
    throw new Error(`${path} found ${response.data.length} of ${response.total} consumers; of ${total} expected`);
  if (response.data[0]?.name !== first)
    throw new Error(`${path} begins with ${response.data[0]?.name} instead of ${first}`);
}
