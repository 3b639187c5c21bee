import type { Clock } from "../../lib/time/clock.ts";
import type { BatchTransfer } from "../../platform/storage/batch-writer.ts";
import type { Storage, WriteTransaction } from "../../platform/storage/storage.ts";
import { CountWriter } from "./count-writer.ts";
import { alignDown, steps } from "./steps.ts";
import { none, other } from "./traffic.ts";
import type { CountedKey, VerificationCounter, VerificationMinute } from "./verification-counter.ts";
import * as store from "./verification-store.ts";
import { detail } from "./verification-store.ts";

/** The maximum number of rows by consumer in one bucket, step and time. Beyond it consumers are not distinguished. */
interface RowBounds {
  minute: number;
  longer: number;
}

const defaultBounds: RowBounds = { minute: 2_000, longer: 20_000 };

/** Rows by consumer and result. */
type Rows = Map<string, store.VerificationRow>;

/** Minutes are plain values. */
const verificationTransfer: BatchTransfer<VerificationMinute> = {
  name: "verification counts",
  encode: (minutes) => minutes,
  decode: (minutes) => minutes as VerificationMinute[],
  rows: (minutes) =>
    (minutes as VerificationMinute[]).reduce(
      (sum, { buckets }) => buckets.values().reduce((ofMinute, keys) => ofMinute + keys.size, sum),
      0,
    ),
};

/** Writes counts of verifications. */
export class VerificationWriter extends CountWriter<VerificationMinute> {
  constructor(
    storage: Storage,
    clock: Clock,
    counter: VerificationCounter,
    private readonly bounds: RowBounds = defaultBounds,
  ) {
    super(storage, clock, counter, verificationTransfer);
  }

  protected async write(transaction: WriteTransaction, minutes: VerificationMinute[]): Promise<void> {
    const seqs = [...new Set(minutes.flatMap(({ buckets }) => [...buckets.keys()]))];
    const existing = await store.existingBuckets(transaction, seqs);
    // Sorted, so that two nodes cannot deadlock.
    for (const bucketSeq of seqs.sort((one, another) => one - another)) {
      if (!existing.has(bucketSeq)) continue;
      // The number of rows is checked before new ones are added, so no other node may add some at the same time.
      await transaction.lock(`verifications ${bucketSeq}`);
      for (const { milliseconds: step } of Object.values(steps))
        for (const [time, some] of Map.groupBy(minutes, (minute) => alignDown(minute.time, step)))
          await this.#add(transaction, { bucketSeq, step, time }, keysOf(some, bucketSeq));
    }
  }

  async #add(
    transaction: WriteTransaction,
    place: Omit<store.VerificationPlace, "detail">,
    keys: CountedKey[],
  ): Promise<void> {
    const totals = rowsOf(keys, () => none);
    await this.#addRows(transaction, { ...place, detail: detail.totals }, totals);
    const byConsumer = { ...place, detail: detail.consumers };
    await this.#addRows(transaction, byConsumer, await this.#bounded(transaction, byConsumer, keys));
  }

  /** New rows beyond the limit are added to one row for each result. */
  async #bounded(transaction: WriteTransaction, place: store.VerificationPlace, keys: CountedKey[]): Promise<Rows> {
    const rows = rowsOf(keys, ({ consumer }) => consumer);
    const max = place.step === steps["1m"].milliseconds ? this.bounds.minute : this.bounds.longer;
    const stored = await store.countRows(transaction, place);
    if (stored + rows.size <= max) return rows;
    const found = await store.findRows(transaction, place, [...rows.values()]);
    const known = new Set(found.map(rowText));
    let room = Math.max(max - stored, 0);
    const bounded: Rows = new Map();
    for (const [text, row] of rows) addTo(bounded, known.has(text) || room-- > 0 ? row : { ...row, consumer: other });
    return bounded;
  }

  async #addRows(transaction: WriteTransaction, place: store.VerificationPlace, rows: Rows): Promise<void> {
    await store.addRows(transaction, place, [...rows.values()]);
    this.wrote(rows.size);
  }
}

function keysOf(minutes: VerificationMinute[], bucketSeq: number): CountedKey[] {
  return minutes.flatMap(({ buckets }) => [...(buckets.get(bucketSeq)?.values() ?? [])]);
}

function rowsOf(keys: CountedKey[], consumerOf: (key: CountedKey) => string): Rows {
  const rows: Rows = new Map();
  for (const key of keys)
    for (const { result, count, observed = 0 } of key.results)
      addTo(rows, { consumer: consumerOf(key), result, count, observed });
  return rows;
}

function addTo(rows: Rows, { consumer, result, count, observed }: store.VerificationRow): void {
  const text = rowText({ consumer, result });
  const row = rows.get(text);
  if (!row) rows.set(text, { consumer, result, count, observed });
  else {
    row.count += count;
    row.observed += observed;
  }
}

function rowText({ consumer, result }: Pick<store.VerificationRow, "consumer" | "result">): string {
  return `${result} ${consumer}`;
}
