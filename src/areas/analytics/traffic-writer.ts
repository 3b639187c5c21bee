import { pieceSize, yieldToEventLoop } from "../../lib/tasks/slices.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { CountWriter } from "./count-writer.ts";
import { alignDown, steps } from "./steps.ts";
import { type Detail, detail, keyText, none, other, TrafficCounts, type TrafficKey } from "./traffic.ts";
import type { TrafficCell, TrafficCounter, TrafficMinute } from "./traffic-counter.ts";
import * as store from "./traffic-store.ts";
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

/** Counts by the text of their key. */
type Rows = Map<string, { key: TrafficKey; counts: TrafficCounts; isOwn?: boolean }>;

/** The additions to the rows of one deployment, step, time and detail. */
interface Increments {
  place: store.TrafficPlace;
  rows: Rows;
}

/** Numbers of rows by deployment and detail. */
type Sums = Map<string, { place: Omit<store.TrafficPlace, "step" | "time">; rows: Rows }>;

/** The number of rows a place may have before new ones are counted as others. */
interface Level {
  max: number;
  fold?: (key: TrafficKey) => TrafficKey;
}

/** The rows to write for one place. */
interface Filling extends Increments {
  levels: Level[];
  /** The number of rows of the place, with the new ones. Undefined until it is needed. */
  taken: number | undefined;
  /** Rows beyond the maximum of the current level. */
  folded: Rows;
}

/** Writes counts of requests. */
export class TrafficWriter extends CountWriter<TrafficMinute> {
  readonly #versionNumbers = new Map<number, number>();

  constructor(
    storage: Storage,
    clock: Clock,
    counter: TrafficCounter,
    private readonly bounds: Bounds = defaultBounds,
  ) {
    super(storage, clock, counter, trafficTransfer);
  }

  protected async write(transaction: WriteTransaction, minutes: TrafficMinute[]): Promise<void> {
    const versions = new Map(
      minutes.flatMap(({ routes }) => [...routes.values()].map(({ version }) => [version.versionSeq, version])),
    );
    await this.#loadVersions(transaction, [...versions.keys()]);
    const seqs = [...new Set([...versions.values()].map(({ deploymentSeq }) => deploymentSeq))];
    const existing = await store.existingDeployments(transaction, seqs);
    const increments = Map.groupBy(await this.#increments(minutes), ({ place }) => place.deploymentSeq);
    // Sorted, so that two nodes cannot deadlock.
    for (const deploymentSeq of seqs.sort((one, other) => one - other)) {
      if (!existing.has(deploymentSeq)) continue;
      const places = increments.get(deploymentSeq)!;
      // Histograms are merged here, not in the database, so no other node may write the same rows at the same time.
      await transaction.lock(`traffic ${deploymentSeq}`);
      await this.#add(transaction, places);
    }
  }

  async #loadVersions(transaction: WriteTransaction, seqs: number[]): Promise<void> {
    const unknown = seqs.filter((seq) => !this.#versionNumbers.has(seq));
    for (const { seq, number } of await store.versionNumbers(transaction, unknown))
      this.#versionNumbers.set(seq, number);
  }

  /** The same minutes add the same counts to every step, so they are summed once for all steps. */
  async #increments(minutes: TrafficMinute[]): Promise<Increments[]> {
    const places: Increments[] = [];
    const summed = new Map<string, Sums>();
    for (const { milliseconds: step } of Object.values(steps))
      for (const [time, some] of Map.groupBy(minutes, (minute) => alignDown(minute.time, step))) {
        const key = some.map((minute) => minutes.indexOf(minute)).join();
        const sums = summed.get(key) ?? (await this.#sum(some));
        summed.set(key, sums);
        for (const { place, rows } of sums.values()) places.push({ place: { ...place, step, time }, rows });
      }
    return places;
  }

  async #sum(minutes: TrafficMinute[]): Promise<Sums> {
    const sums: Sums = new Map();
    let cellsDone = 0;
    for (const { routes } of minutes)
      for (const { version, path, tool, policy, consumers } of routes.values()) {
        const { accountSeq, deploymentSeq } = version;
        const number = this.#versionNumbers.get(version.versionSeq) ?? 0;
        const isOfPolicy = policy !== none;
        const counted = Object.values(detail).filter((each) => (each === detail.policies) === isOfPolicy);
        const byDetail = counted.map((each) => {
          const key = `${deploymentSeq} ${each}`;
          const sum = sums.get(key) ?? { place: { detail: each, accountSeq, deploymentSeq }, rows: new Map() };
          sums.set(key, sum);
          return sum;
        });
        for (const [consumer, cellsByKey] of consumers)
          for (const [keyId, cells] of cellsByKey)
            for (const cell of cells) {
              if (++cellsDone % pieceSize === 0) await yieldToEventLoop();
              for (const { place, rows } of byDetail) {
                if (place.detail === detail.clients && cell.client === none) continue;
                if (place.detail === detail.tools && tool === none) continue;
                if (place.detail === detail.consumerIds && cell.consumerId === none) continue;
                addTo(rows, rowKey(place.detail, number, { path, tool, policy }, consumer, keyId, cell), cell);
              }
            }
      }
    return sums;
  }

  /**
   * Adds to all rows of a deployment, in few statements: each is a round trip to PostgreSQL. New rows beyond the limit
   * of their place are added to coarser rows.
   */
  async #add(transaction: WriteTransaction, places: Increments[]): Promise<void> {
    let fillings = places.map(
      (each): Filling => ({ ...each, levels: this.#levels(each.place), taken: undefined, folded: new Map() }),
    );
    for (let level = 0; fillings.length > 0; level++) {
      const all = fillings.flatMap((filling) => Array.from(filling.rows.values(), (row) => ({ filling, ...row })));
      for (let from = 0; from < all.length; from += pieceSize) {
        if (from > 0) await yieldToEventLoop();
        await this.#addPiece(transaction, level, all.slice(from, from + pieceSize));
      }
      fillings = fillings
        .filter(({ folded }) => folded.size > 0)
        .map((filling) => ({ ...filling, rows: filling.folded, folded: new Map() }));
    }
  }

  async #addPiece(
    transaction: WriteTransaction,
    level: number,
    rows: { filling: Filling; key: TrafficKey; counts: TrafficCounts }[],
  ): Promise<void> {
    const wanted = rows.map(({ filling: { place }, key, counts }): store.TrafficRow => ({ place, key, counts }));
    const known = await store.readRows(transaction, wanted);
    const written: store.TrafficRow[] = [];
    for (const { filling, key, counts } of rows) {
      const { place } = filling;
      const stored = known.get(store.rowText(place, key));
      if (stored) {
        stored.merge(counts);
        written.push({ place, key, counts: stored });
        continue;
      }
      const { max, fold } = filling.levels[level]!;
      if (fold) {
        filling.taken ??= await store.countRows(transaction, place);
        if (filling.taken >= max) {
          addTo(filling.folded, fold(key), counts);
          continue;
        }
        filling.taken += 1;
      }
      written.push({ place, key, counts });
    }
    await store.writeRows(transaction, written);
    this.wrote(rows.length);
  }

  #levels({ step, detail: each }: store.TrafficPlace): Level[] {
    const last: Level = { max: Number.POSITIVE_INFINITY };
    if (each === detail.totals) return [last];
    const bounds = each === detail.routes ? this.bounds.routes : this.bounds.consumers;
    const { whole, rows } = step === steps["1m"].milliseconds ? bounds.minute : bounds.longer;
    const withoutRoute = (key: TrafficKey) => ({ ...key, route: other });
    const withoutConsumer = (key: TrafficKey) => ({ ...key, route: other, consumer: other });
    // A project has few policies.
    if (each === detail.policies) return [{ max: whole, fold: (key) => ({ ...key, consumer: other }) }, last];
    if (each === detail.routes) return [{ max: whole, fold: withoutRoute }, last];
    return [{ max: whole, fold: withoutRoute }, { max: rows, fold: withoutConsumer }, last];
  }
}

function rowKey(
  each: Detail,
  version: number,
  { path, tool, policy }: { path: string; tool: string; policy: string },
  consumer: string,
  keyId: string,
  { status, client, consumerId }: TrafficCell,
): TrafficKey {
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

/** Cells are reused until something is added to them, because most are alone in their row. */
function addTo(rows: Rows, key: TrafficKey, counts: TrafficCounts): void {
  const text = keyText(key);
  const row = rows.get(text);
  if (!row) rows.set(text, { key, counts });
  else if (row.isOwn) row.counts.merge(counts);
  else {
    const own = new TrafficCounts();
    own.merge(row.counts);
    own.merge(counts);
    rows.set(text, { key, counts: own, isOwn: true });
  }
}
