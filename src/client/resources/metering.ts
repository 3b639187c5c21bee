import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type {
  MeteringBucket,
  MeteringBucketCreate,
  MeteringBucketUpdate,
  Reconciliation,
  SettledHold,
  SettleHold,
  TestMail,
  UsageShare,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import type { DeleteBucketOptions } from "./buckets.ts";

export interface ListUsageOptions extends PageOptions, RequestOptions {
  /** Only subscriptions that used at least this share of a quota, such as 0.8. */
  near?: number | undefined;
  /** Considers only this meter. */
  meter?: string | undefined;
  /** Only subscriptions of these customers, at most 100. */
  customerKeys?: string[] | undefined;
}

/** Metering buckets: containers for plans, subscriptions and usage. */
export class Metering {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All metering buckets of the account.
   *
   * @example
   * ```ts
   * for await (const bucket of client.metering.list()) console.log(bucket.id);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<MeteringBucket> {
    return this.#transport.list("listMeteringBuckets", { call: {}, paging: options });
  }

  /**
   * Creates a metering bucket.
   *
   * @example
   * ```ts
   * const bucket = await client.metering.create();
   * await client.plans(bucket.id).create({ label: "Gold", planExternalId: "price_gold", meters: { requests: { max: 1000 } } });
   * ```
   */
  create(input: MeteringBucketCreate = {}, options?: CreateOptions): Promise<MeteringBucket> {
    return this.#transport.call("createMeteringBucket", { body: input, options });
  }

  /**
   * Changes a metering bucket. `null` clears its name.
   *
   * @example
   * ```ts
   * await client.metering.update(bucketId, { name: "shop" });
   * ```
   */
  update(idOrName: string, changes: MeteringBucketUpdate, options?: ChangeOptions): Promise<MeteringBucket> {
    return this.#transport.call("updateMeteringBucket", { params: { bucketId: idOrName }, body: changes, options });
  }

  /**
   * Counts what was used instead of what `verifyKey` held: more or less. An omitted meter is 0.
   *
   * @example
   * ```ts
   * const hold = { bucketId, meters: { tokens: 4000 } };
   * const verification = await client.verifyKey("main", "tg_0123456789abcdef0123456789abcdef_7759b50e", { hold });
   * if (verification.valid) await client.metering.settleHold(bucketId, verification.holdId!, { tokens: 1234 });
   * ```
   */
  settleHold(
    bucketId: string,
    holdId: string,
    meters: SettleHold["meters"],
    options?: CreateOptions,
  ): Promise<SettledHold> {
    return this.#transport.call("settleHold", { params: { bucketId, holdId }, body: { meters }, options });
  }

  /**
   * Returns all that `verifyKey` held.
   *
   * @example
   * ```ts
   * await client.metering.releaseHold(bucketId, "hold_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  releaseHold(bucketId: string, holdId: string, options?: CreateOptions): Promise<void> {
    return this.#transport.call("releaseHold", { params: { bucketId, holdId }, options });
  }

  /**
   * The active subscriptions, sorted by the used share of a quota, largest first.
   *
   * @example
   * ```ts
   * for await (const { customerKey, share } of client.metering.usage(bucketId, { near: 0.8 })) console.log(customerKey, share);
   * ```
   */
  usage(bucketId: string, { near, meter, customerKeys, ...paging }: ListUsageOptions = {}): List<UsageShare> {
    return this.#transport.list("listUsage", {
      call: { params: { bucketId }, query: { near: near?.toString(), meter, customerKeys: customerKeys?.join() } },
      paging,
    });
  }

  /**
   * The usage of subscriptions as CSV, with a row for each meter of each subscription. Yields one text per page; only the
   * first has the header line.
   *
   * @example
   * ```ts
   * for await (const lines of client.metering.usageCsv(bucketId, { near: 0.8 })) process.stdout.write(lines);
   * ```
   */
  async *usageCsv(
    bucketId: string,
    { near, meter, customerKeys, limit, offset, ...options }: ListUsageOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    const query = { near: near?.toString(), meter, customerKeys: customerKeys?.join(), limit };
    for (let at = offset, isFirst = true; ; isFirst = false) {
      const call = { params: { bucketId }, query: { ...query, offset: at }, options };
      const { text, nextOffset } = await this.#transport.csv("listUsage", call);
      yield isFirst ? text : text.slice(text.indexOf("\n") + 1);
      if (nextOffset === undefined) return;
      at = nextOffset;
    }
  }

  /**
   * One metering bucket.
   *
   * @example
   * ```ts
   * const { accountName } = await client.metering.get(bucketId);
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<MeteringBucket> {
    return this.#transport.call("getMeteringBucket", { params: { bucketId: id }, options });
  }

  /**
   * Deletes a metering bucket. Rejected if it contains subscriptions, unless `force` is set.
   *
   * @example
   * ```ts
   * await client.metering.delete(bucketId, { force: true });
   * ```
   */
  delete(id: string, { force, ...options }: DeleteBucketOptions = {}): Promise<void> {
    return this.#transport.call("deleteMeteringBucket", { params: { bucketId: id }, query: { force }, options });
  }

  /**
   * Moves the time of a test bucket forward. Each step of billing that is due happens at its time, in order.
   *
   * @example
   * ```ts
   * const { id } = await client.metering.create({ isTest: true });
   * await client.metering.moveClock(id, "2030-02-01T00:00:00Z");
   * ```
   */
  moveClock(id: string, now: string, options?: CreateOptions): Promise<MeteringBucket> {
    return this.#transport.call("moveClock", { params: { bucketId: id }, body: { now }, options });
  }

  /**
   * The mail of a test bucket: it is stored for inspection, and never sent.
   *
   * @example
   * ```ts
   * for await (const { to, subject } of client.metering.testMails(bucketId)) console.log(to, subject);
   * ```
   */
  testMails(id: string, options: PageOptions & RequestOptions = {}): List<TestMail> {
    return this.#transport.list("listTestMails", { call: { params: { bucketId: id } }, paging: options });
  }

  /**
   * Compares the counters with the stored events.
   *
   * @example
   * ```ts
   * const { agrees, differences } = await client.metering.reconcile(bucketId);
   * if (!agrees) console.error(differences);
   * ```
   */
  reconcile(id: string, { from, to, ...options }: TimeRange & RequestOptions = {}): Promise<Reconciliation> {
    return this.#transport.call("reconcileUsage", { params: { bucketId: id }, query: { from, to }, options });
  }
}

/** RFC 3339, such as 2030-01-31T10:00:00Z. */
export interface TimeRange {
  from?: string;
  to?: string;
}
