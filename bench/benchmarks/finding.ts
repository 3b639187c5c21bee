import { bucketPath, type Dataset, seedDataset } from "../dataset.ts";
import { load, takeTurns } from "../measure.ts";
import { atMost, comparisonRow, type Row } from "../row.ts";
import { consumerName } from "../seeded-consumers.ts";
import { adminToken, call, type RunningServer } from "../server.ts";
import type { Workspace } from "../workspace.ts";

const few = 1_000;
const many = 1_000_000;
const oneByOne = { connections: 1, warmSeconds: 0.1, seconds: 0.4, method: "GET", token: adminToken };
const search = (text: string) => `/v1/accounts/default/search?q=${text}`;

/** The searched paths, for a number of consumers with one key each. */
const works: Record<string, (consumers: number) => string> = {
  "first page of keys": () => `${bucketPath}/keys?limit=100`,
  "deep page of keys": (consumers) => `${bucketPath}/keys?limit=100&offset=${consumers * 0.9}`,
  "page of enabled keys": () => `${bucketPath}/keys?limit=100&enabled=true`,
  "500 keys unused since": () => `${bucketPath}/keys?limit=100&unused-since=2020-01-01T00:00:00Z`,
  "all keys created before": () => `${bucketPath}/keys?limit=100&created-before=2100-01-01T00:00:00Z`,
  "keys of 500 consumers by a tag": () => `${bucketPath}/keys?limit=100&tag.cohort=pilot`,
  "keys of half the consumers by a tag": () => `${bucketPath}/keys?limit=100&tag.plan=gold`,
  "deep page of them": (consumers) => `${bucketPath}/keys?limit=100&tag.plan=gold&offset=${consumers * 0.4}`,
  "keys by suffix": () => `${bucketPath}/keys?limit=100&suffix=0123abcd`,
  "search by a letter": () => search("c"),
  "search by a name": (consumers) => search(consumerName(consumers / 2)),
  "search by a second word": (consumers) => search(`gold+${consumerName(consumers / 2).slice(0, -1)}`),
  "search by the end of a key": () => search("0123abcd"),
  "consumers by a prefix of 10": (consumers) =>
    `${bucketPath}/consumers?limit=100&q=${consumerName(consumers / 2).slice(0, -1)}`,
};

/** Lists of keys and search among a million consumers, against a thousand. */
export async function finding(workspace: Workspace): Promise<Row[]> {
  await using servers = new AsyncDisposableStack();
  const start = async (dataset: Promise<Dataset>) =>
    servers.use(await workspace.startServer((await dataset).dataDirectory));
  // In the shared dataset of a thousand, the keys may have been used.
  const small = await start(seedDataset(workspace.newDirectory("finding"), few));
  const large = await start(workspace.dataset(many));
  for (const [server, total] of [
    [small, few],
    [large, many],
  ] as const)
    await expectTotals(server, total);

  const rows: Row[] = [];
  for (const [name, pathAmong] of Object.entries(works)) {
    const turn = (server: RunningServer, consumers: number) => () =>
      load(server, { ...oneByOne, path: pathAmong(consumers) });
    const turns = await takeTurns(
      `finding: ${name}`,
      { warmRounds: 1, rounds: 10 },
      {
        many: turn(large, many),
        few: turn(small, few),
      },
    );
    const words = {
      what: `${name}, 1,000,000 consumers`,
      against: "1,000 consumers",
      againstOurselves: true,
      explanation: "Median latency of one request at a time.",
    };
    rows.push(comparisonRow(words, atMost(2), turns.many, turns.few, "p50Microseconds"));
  }
  return rows;
}

/** A list with a wrong total would be fast for the wrong reason. */
async function expectTotals(server: RunningServer, total: number): Promise<void> {
  const expected = {
    "first page of keys": total,
    "page of enabled keys": total,
    "500 keys unused since": 500,
    "all keys created before": total,
    "keys of 500 consumers by a tag": 500,
    "keys of half the consumers by a tag": total / 2,
  };
  for (const [name, wanted] of Object.entries(expected)) {
    const found = await call<{ total: number }>(server, "GET", works[name]!(total));
    if (found.total !== wanted) throw new Error(`${name}: ${found.total} instead of ${wanted}`);
  }
  const { data } = await call<{ data: unknown[] }>(server, "GET", search("c"));
  if (data.length !== 20) throw new Error(`search found ${data.length} instead of 20`);
}
