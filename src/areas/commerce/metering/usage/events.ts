import type { Act } from "../../../../core/access.ts";
import { recordForFollowers } from "../../../../core/changes/record.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { countersOfPeriods, periodKey } from "../../../../counting/counters/counter-store.ts";
import { type Amount, partsOf } from "../../../../lib/amount.ts";
import { Groups } from "../../../../lib/tasks/groups.ts";
import { pieceSize, Slice, yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import { StorageUnavailable } from "../../../../platform/storage/errors.ts";
import type { Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type MeteringBucket, MeteringBucketLookup, timeIn } from "../../metering-buckets/metering-buckets.ts";
import { KnownPlans } from "../../subscriptions/allowance.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { lockSubscriptions } from "../../subscriptions/subscriptions.ts";
import { type EventRow, insertEvents, knownEvents } from "../counters/event-store.ts";
import { countEvents, maxCount, TotalTooLarge } from "./counting.ts";
import { billLateUsage, lateBilling } from "./owners.ts";
import { type EventError, meterError, readEvent, type UsageEvent } from "./read-event.ts";
import { Subscribers } from "./subscribers.ts";

interface Rejection extends EventError {
  index: number;
}

export interface Ingested {
  accepted: number;
  duplicates: number;
  rejected: Rejection[];
}

/** The items of one request. */
interface EventBatch {
  act: Act;
  bucketId: string;
  items: unknown[];
  /** The parsed items, if they are parsed already. */
  events?: (UsageEvent | EventError)[];
}

/**
 * The maximum number of amounts in one transaction: its commit takes some milliseconds, and its rows a few megabytes.
 */
const maxAmounts = 5_000;

/**
 * Receives usage events. Batches that arrive together share a transaction, because most of their counters are the same.
 */
export class UsageEvents {
  readonly #small: Groups<EventBatch, Ingested>;
  /** In transactions of their own, so that single events do not wait for them. */
  readonly #large: Groups<EventBatch, Ingested>;
  readonly #knownPlans = new KnownPlans();

  constructor(private readonly storage: Storage) {
    const groups = () =>
      new Groups<EventBatch, Ingested>(
        (take) => this.#write(take),
        maxAmounts,
        ({ items }) => amountsInAll(items),
      );
    this.#small = groups();
    this.#large = groups();
  }

  /**
   * Durable when it resolves. A batch with many amounts takes several transactions: if one fails, those before it are
   * kept, and the events are duplicates when they are sent again.
   */
  async ingest(batch: EventBatch): Promise<Ingested> {
    const whole: Ingested = { accepted: 0, duplicates: 0, rejected: [] };
    let from = 0;
    for (const to of partEnds(batch.items)) {
      const part = from === 0 && to === batch.items.length ? batch : { ...batch, items: batch.items.slice(from, to) };
      const { accepted, duplicates, rejected } = await this.#ingestPart(part);
      whole.accepted += accepted;
      whole.duplicates += duplicates;
      for (const each of rejected) whole.rejected.push({ ...each, index: from + each.index });
      from = to;
    }
    return whole;
  }

  async #ingestPart(batch: EventBatch): Promise<Ingested> {
    if (batch.items.length <= pieceSize) return this.#small.add(batch);
    // Parsed before the transaction begins, so that other writes do not wait for it.
    const events: (UsageEvent | EventError)[] = [];
    for (const [index, item] of batch.items.entries()) {
      if (index % pieceSize === 0) await yieldToEventLoop();
      events.push(readEvent(item, index, batch.act.now));
    }
    return this.#large.add({ ...batch, events });
  }

  /** Totals are nearly never too large, so they are read only after they were. */
  async #write(take: () => Promise<EventBatch[]>): Promise<(Ingested | Problem)[]> {
    for (let readsTotals = false; ; readsTotals = true)
      try {
        return await this.storage.write(async (transaction) =>
          ingestAll(transaction, await take(), this.#knownPlans, { readsTotals }),
        );
      } catch (error) {
        // Another transaction may have raised them after they were read. Then less is left for the next attempt.
        if (!(error instanceof TotalTooLarge)) throw error;
      }
  }

  /** Processes a single batch in a transaction that does more, which cannot be split. */
  async ingestIn(transaction: WriteTransaction, batch: EventBatch): Promise<Ingested> {
    if (partEnds(batch.items).length > 1)
      throw invalid(
        "",
        `must have at most ${maxAmounts} amounts with an Idempotency-Key; without it, a repetition is safe because of the events' ids`,
      );
    const attempt = ingestAll(transaction, [batch], this.#knownPlans, { readsTotals: true });
    const [result] = await attempt.catch((error) => {
      throw error instanceof TotalTooLarge ? new StorageUnavailable(error) : error;
    });
    if (result instanceof Problem) throw result;
    return result!;
  }
}

interface IngestOptions {
  /** Whether the totals of counters are read before they are raised, to reject the events that exceed `maxCount`. */
  readsTotals: boolean;
}

/** Returns where the parts of a batch end: each has at most the given number of amounts, or is a single event. */
function partEnds(items: unknown[]): number[] {
  const ends: number[] = [];
  let amounts = 0;
  for (const [index, item] of items.entries()) {
    const added = amountsIn(item);
    if (amounts > 0 && amounts + added > maxAmounts) {
      ends.push(index);
      amounts = 0;
    }
    amounts += added;
  }
  return [...ends, items.length];
}

function amountsInAll(items: unknown[]): number {
  return items.reduce<number>((sum, item) => sum + amountsIn(item), 0);
}

/** Returns at least 1, also for an invalid event. */
function amountsIn(item: unknown): number {
  const data = typeof item === "object" && item !== null && "data" in item ? item.data : undefined;
  if (typeof data !== "object" || data === null) return 1;
  let count = 0;
  for (const _ in data) count += 1;
  return Math.max(1, count);
}

interface ReadBatch {
  batch: EventBatch;
  bucket: MeteringBucket;
  now: number;
  /** The valid events. */
  events: UsageEvent[];
  rejected: Rejection[];
  /**
   * Valid events that the subscription's current state does not accept. They are duplicates if they were counted
   * before.
   */
  notTaken: (Rejection & { event: UsageEvent })[];
  taken: TakenEvent[];
}

/** An event and the counters that it raises: those of a subscription in a period. */
interface TakenEvent extends UsageEvent {
  subscriptionSeq: number;
  periodStart: number;
  /** When it is billed, if its subscription has ended. */
  billsOn: number | undefined;
}

/**
 * Stores the events that are new and counts them, in one transaction: accepted events are stored, and stored events are
 * counted. An invalid item is rejected as a whole, by its index; the others are processed.
 */
async function ingestAll(
  transaction: WriteTransaction,
  batches: EventBatch[],
  knownPlans: KnownPlans,
  { readsTotals }: IngestOptions,
): Promise<(Ingested | Problem)[]> {
  const buckets = new MeteringBucketLookup(transaction);
  const read: (ReadBatch | Problem)[] = [];
  for (const batch of batches) read.push(await readBatch(buckets, batch));

  const good = read.filter((each): each is ReadBatch => !(each instanceof Problem));
  const subscribers = await Subscribers.load(transaction, good, knownPlans);
  for (const each of good) await findSubscriptions(subscribers, each);
  if (readsTotals) await rejectTooMuch(transaction, good);
  for (const each of good) await sortOut(transaction, each);
  const events = good.flatMap((each) => each.taken);
  const ended = new Set(events.filter(({ billsOn }) => billsOn !== undefined).map((each) => each.subscriptionSeq));
  await lockSubscriptions(transaction, [...ended]);
  const isNew = await insertEvents(transaction, rowsOfAll(good));
  const owners = new Map(
    good.flatMap(({ batch, bucket, taken }) =>
      taken.map(({ subscriptionSeq }) => [subscriptionSeq, { act: batch.act, bucketId: bucket.id }]),
    ),
  );
  const counted = events.filter((_, index) => isNew[index]);
  await countEvents(transaction, counted, owners);
  await billLateUsage(transaction, counted);

  let first = 0;
  return read.map((each) => {
    if (each instanceof Problem) return each;
    const accepted = isNew.slice(first, first + each.taken.length).filter(Boolean).length;
    first += each.taken.length;
    if (accepted > 0)
      recordForFollowers(transaction, each.batch.act, "usage.recorded", each.bucket.id, { events: accepted });
    return { accepted, duplicates: each.batch.items.length - each.rejected.length - accepted, rejected: each.rejected };
  });
}

/** Before new events are stored: rejected events that were counted before are duplicates. */
async function sortOut(transaction: WriteTransaction, { bucket, notTaken, taken, rejected }: ReadBatch): Promise<void> {
  if (notTaken.length === 0) return;
  const keyOf = ({ source, id }: UsageEvent) => JSON.stringify([source, id]);
  const firsts = new Map(taken.toReversed().map((event) => [keyOf(event), event.index]));
  const known = await knownEvents(
    transaction,
    bucket.seq,
    notTaken.map(({ event }) => event),
  );
  for (const [position, { index, pointer, detail, event }] of notTaken.entries()) {
    const isRepeated = (firsts.get(keyOf(event)) ?? index) < index;
    if (!known[position] && !isRepeated) rejected.push({ index, pointer, detail });
  }
  rejected.sort((one, other) => one.index - other.index);
}

/** A bucket that does not exist is an error of one request, and must not fail the others. */
async function readBatch(buckets: MeteringBucketLookup, batch: EventBatch): Promise<ReadBatch | Problem> {
  const { act, bucketId, items } = batch;
  let bucket: MeteringBucket;
  try {
    bucket = await buckets.find(act.account.seq, bucketId);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return error;
    throw error;
  }
  const slice = new Slice();
  const read: ReadBatch = { batch, bucket, now: act.now, events: [], rejected: [], notTaken: [], taken: [] };
  for (const [index, item] of items.entries()) {
    if (slice.isOver) await slice.next();
    const event = eventIn(bucket, batch, item, index);
    if ("detail" in event) read.rejected.push({ index, ...event });
    else read.events.push(event);
  }
  return read;
}

async function findSubscriptions(subscribers: Subscribers, read: ReadBatch): Promise<void> {
  const { bucket, events, taken, notTaken } = read;
  const slice = new Slice();
  const now = timeIn(bucket, read.now);
  for (const event of events) {
    if (slice.isOver) await slice.next();
    const found = subscribers.find(bucket, event);
    if ("detail" in found) notTaken.push({ ...found, index: event.index, event });
    else {
      const periodStart = periodOf(found, event.time).start;
      taken.push({ ...event, subscriptionSeq: found.row.seq, periodStart, billsOn: lateBilling(found, now) });
    }
  }
}

/** Moves events that would add up to more than `maxCount` to those that are not taken. */
async function rejectTooMuch(transaction: WriteTransaction, batches: ReadBatch[]): Promise<void> {
  const totals = await countersOfPeriods(
    transaction,
    batches.flatMap(({ taken }) => taken),
  );
  const isTooMuch = (event: TakenEvent) => {
    const key = periodKey(event.subscriptionSeq, event.periodStart);
    const used = totals.get(key) ?? new Map<string, Amount>();
    totals.set(key, used);
    for (const [meter, amount] of event.amounts) if ((used.get(meter) ?? 0n) + amount > maxCount) return meter;
    for (const [meter, amount] of event.amounts) used.set(meter, (used.get(meter) ?? 0n) + amount);
    return undefined;
  };
  for (const batch of batches)
    batch.taken = batch.taken.filter((event) => {
      const meter = isTooMuch(event);
      if (meter === undefined) return true;
      const error = meterError(meter, "would add up to more in the period than can be counted exactly");
      batch.notTaken.push({ ...error, index: event.index, event });
      return false;
    });
}

/** An event without a time has that of the bucket, which is known only now. */
function eventIn(
  bucket: MeteringBucket,
  { act, events }: EventBatch,
  item: unknown,
  index: number,
): UsageEvent | EventError {
  const parsed = bucket.test_clock === null ? events?.[index] : undefined;
  return parsed ?? readEvent(item, index, timeIn(bucket, act.now));
}

/** Creates rows as they are needed: an event may have a thousand. */
function* rowsOfAll(batches: ReadBatch[]): Generator<EventRow[]> {
  for (const { batch, bucket, taken } of batches) for (const event of taken) yield rowsOf(batch.act, bucket, event);
}

function rowsOf(act: Act, bucket: MeteringBucket, event: TakenEvent): EventRow[] {
  const rows: EventRow[] = [];
  for (const [meter, amount] of event.amounts) {
    const { whole, billionths } = partsOf(amount);
    rows.push({
      bucket_seq: bucket.seq,
      source: event.source,
      event_id: event.id,
      part: rows.length,
      subscription_seq: event.subscriptionSeq,
      time: event.time,
      period_start: event.periodStart,
      received_on: act.now,
      meter,
      whole: Number(whole),
      billionths: Number(billionths),
    });
  }
  return rows;
}
