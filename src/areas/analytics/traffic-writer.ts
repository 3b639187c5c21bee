import { pieceSize, yieldToEventLoop } from "../../lib/tasks/slices.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { CountWriter, type Increments, type Level } from "./count-writer.ts";
import { existingDeployments, none, other, type RowKey, SummedRows } from "./counted-table.ts";
import { steps } from "./steps.ts";
import { type Detail, detail, type TrafficCounts, trafficTable } from "./traffic.ts";
import type { RouteTraffic, TrafficCell, TrafficCounter, TrafficMinute } from "./traffic-counter.ts";
import { trafficTransfer } from "./traffic-transfer.ts";

/** Limits of new rows in one deployment, step, time and detail. */
interface RowBounds {
  /** Up to this number, rows have all dimensions. */
  whole: number;
  /** Beyond it, up to this number in all, rows are by consumer without routes or keys. */
  rows: number;
}

type Bounds = Record<"routes" | "consumers", { minute: RowBounds; longer: RowBounds }>;

const defaultBounds: Bounds = {
  routes: { minute: { whole: 2_000, rows: 2_000 }, longer: { whole: 10_000, rows: 10_000 } },
  consumers: { minute: { whole: 1_000, rows: 2_000 }, longer: { whole: 10_000, rows: 50_000 } },
};

/** Writes counts of requests. */
export class TrafficWriter extends CountWriter<TrafficMinute, TrafficCounts> {
  readonly #versionNumbers = new Map<number, number>();

  constructor(
    storage: Storage,
    clock: Clock,
    counter: TrafficCounter,
    private readonly bounds: Bounds = defaultBounds,
  ) {
    super(storage, clock, counter, trafficTransfer);
  }

  protected existing = existingDeployments;

  protected override async finish(transaction: WriteTransaction, minutes: TrafficMinute[]): Promise<void> {
    const versions = minutes.flatMap(({ routes }) => Array.from(routes.values(), ({ version }) => version));
    const accounts = new Map(versions.map(({ deploymentSeq, accountSeq }) => [deploymentSeq, accountSeq]));
    await transaction.insertNew(
      "traffic_deployments",
      Array.from(accounts, ([deployment_seq, account_seq]) => ({ deployment_seq, account_seq })),
      ["deployment_seq"],
    );
  }

  protected async sum(transaction: WriteTransaction, minutes: TrafficMinute[]): Promise<Increments<TrafficCounts>[]> {
    const sums = new Map<string, Increments<TrafficCounts>>();
    const all = minutes.flatMap(({ routes }) => [...routes.values()]);
    await this.#loadVersions(
      transaction,
      all.map(({ version }) => version.versionSeq),
    );
    let cellsDone = 0;
    for (const traffic of all) {
      const { version, tool, policy, consumers } = traffic;
      const { accountSeq: account_seq, deploymentSeq: owner } = version;
      const number = this.#versionNumbers.get(version.versionSeq) ?? 0;
      const counted = Object.values(detail).filter((each) => (each === detail.policies) === (policy !== none));
      const byDetail = counted.map((each) => {
        const key = `${owner} ${each}`;
        const sum = sums.get(key) ?? {
          owner,
          place: { detail: each, account_seq, deployment_seq: owner },
          sums: new SummedRows(trafficTable),
          levels: (step) => this.#levels(step, each),
        };
        sums.set(key, sum);
        return { each, rows: sum.sums };
      });
      for (const [consumer, cellsByKey] of consumers)
        for (const [keyId, cells] of cellsByKey)
          for (const cell of cells) {
            if (++cellsDone % pieceSize === 0) await yieldToEventLoop();
            for (const { each, rows } of byDetail) {
              if (each === detail.clients && cell.client === none) continue;
              if (each === detail.tools && tool === none) continue;
              if (each === detail.consumerIds && cell.consumerId === none) continue;
              rows.add(rowKey(each, number, traffic, consumer, keyId, cell), cell);
            }
          }
    }
    return [...sums.values()];
  }

  async #loadVersions(transaction: WriteTransaction, seqs: number[]): Promise<void> {
    const unknown = [...new Set(seqs)].filter((seq) => !this.#versionNumbers.has(seq));
    if (unknown.length === 0) return;
    const versions = transaction.query.selectFrom("deployment_versions").select(["seq", "number"]);
    for (const { seq, number } of await versions.where("seq", "in", unknown).execute())
      this.#versionNumbers.set(seq, number);
  }

  #levels(step: number, each: Detail): Level[] {
    const last: Level = { max: Number.POSITIVE_INFINITY };
    if (each === detail.totals) return [last];
    const bounds = each === detail.routes ? this.bounds.routes : this.bounds.consumers;
    const { whole, rows } = step === steps["1m"].milliseconds ? bounds.minute : bounds.longer;
    const withoutRoute = (key: RowKey) => ({ ...key, route: other });
    const withoutConsumer = (key: RowKey) => ({ ...key, route: other, consumer: other });
    // A project has few policies.
    if (each === detail.policies) return [{ max: whole, fold: (key) => ({ ...key, consumer: other }) }, last];
    if (each === detail.routes) return [{ max: whole, fold: withoutRoute }, last];
    return [{ max: whole, fold: withoutRoute }, { max: rows, fold: withoutConsumer }, last];
  }
}

/** The names of members are in the same order everywhere: they are the text by which rows are summed. */
function rowKey(
  each: Detail,
  version: number,
  { path, tool, policy }: RouteTraffic,
  consumer: string,
  keyId: string,
  { status, client, consumerId }: TrafficCell,
): RowKey {
  switch (each) {
    case detail.totals:
      return { version, status, route: none, consumer: none };
    case detail.routes:
      return { version, status, route: path, consumer: none };
    case detail.consumers:
      return { version, status, route: path, consumer };
    case detail.keys:
      return { version, status, route: keyId, consumer };
    case detail.clients:
      return { version, status, route: client, consumer };
    case detail.tools:
      return { version, status, route: tool, consumer };
    case detail.consumerIds:
      return { version, status, route: consumerId, consumer };
    case detail.policies:
      return { version, status, route: policy, consumer };
  }
}
