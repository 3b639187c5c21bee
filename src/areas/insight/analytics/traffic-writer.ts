import { LatencyHistogram } from "../../../lib/latency-histogram.ts";
import { pieceSize, yieldToEventLoop } from "../../../lib/tasks/slices.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { type CountedMinute, type CountTransfer, CountWriter, type Increments, type Level } from "./count-writer.ts";
import { existingDeployments, none, other, type RowKey, SummedRows } from "./counted-table.ts";
import { steps } from "./steps.ts";
import { type Detail, detail, type TrafficCounts, trafficTable } from "./traffic.ts";
import {
  type CountedVersion,
  type RouteTraffic,
  TrafficCell,
  type TrafficCounter,
  type TrafficMinute,
} from "./traffic-counter.ts";

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

interface EncodedRoute {
  version: CountedVersion;
  path: string;
  tool?: string;
  policy?: string;
  cells: EncodedCell[];
}

/** A worker of the release before sends its last counts to a primary of this one: what is new comes last. */
type EncodedCell = [
  consumer: string,
  keyId: string,
  status: number,
  requests: number,
  rejected: number,
  errors: number,
  bytesIn: number,
  bytesOut: number,
  latency: Uint8Array,
  client: string,
  consumerId: string,
  observed: number,
];

interface EncodedMinute extends CountedMinute {
  routes: EncodedRoute[];
}

/** Minutes in memory refer to the routes of running versions, which another process does not have. */
export const trafficTransfer = {
  name: "traffic counts",
  encode: (minutes: TrafficMinute[]) =>
    minutes.map(
      ({ time, size, routes }): EncodedMinute => ({
        time,
        size,
        routes: [...routes.values()].map(encodeRoute),
      }),
    ),
  decode: (encoded: unknown) => (encoded as EncodedMinute[]).map(decodeMinute),
} satisfies CountTransfer<TrafficMinute>;

function encodeRoute({ version, path, tool, policy, consumers }: RouteTraffic): EncodedRoute {
  const { accountSeq, deploymentSeq, versionSeq } = version;
  const cells: EncodedCell[] = [];
  for (const [consumer, keys] of consumers)
    for (const [keyId, counted] of keys)
      for (const { client, consumerId, latency, observed, ...cell } of counted) {
        const { status, requests, rejected, errors, bytesIn, bytesOut } = cell;
        const counts = [status, requests, rejected, errors, bytesIn, bytesOut] as const;
        cells.push([consumer, keyId, ...counts, latency.encode(), client, consumerId, observed]);
      }
  const special = { ...(tool !== none && { tool }), ...(policy !== none && { policy }) };
  return { version: { accountSeq, deploymentSeq, versionSeq }, path, ...special, cells };
}

function decodeMinute({ time, size, routes: encoded }: EncodedMinute): TrafficMinute {
  const routes: TrafficMinute["routes"] = new Map();
  for (const { version, path, tool = none, policy = none, cells } of encoded) {
    const consumers: RouteTraffic["consumers"] = new Map();
    for (const [consumer, keyId, ...counts] of cells) {
      const keys = consumers.get(consumer) ?? new Map<string, TrafficCell[]>();
      consumers.set(consumer, keys.set(keyId, [...(keys.get(keyId) ?? []), decodeCell(counts)]));
    }
    routes.set({ route: { path } }, { version, path, tool, policy, consumers, budget: { cells: cells.length } });
  }
  return { time, size, routes, budgets: new Map() };
}

function decodeCell(counts: EncodedCell extends [string, string, ...infer Rest] ? Rest : never): TrafficCell {
  const [status, requests, rejected, errors, bytesIn, bytesOut, latency, client, consumerId, observed = 0] = counts;
  const cell = new TrafficCell(status, client, consumerId);
  Object.assign(cell, { requests, rejected, errors, observed, bytesIn, bytesOut });
  cell.latency.merge(LatencyHistogram.decode(latency));
  return cell;
}
