import type { CreateOptions, RequestOptions } from "../transport/options.ts";
import type { ConsumedQuota, ConsumeQuota, IngestedEvents, Usage, UsageSeries } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import type { TimeRange } from "./metering.ts";

export interface UsageSeriesOptions extends TimeRange, RequestOptions {
  /** The interval of each point; chosen by the range by default. */
  step?: "1h" | "1d" | undefined;
  /** Considers only this meter. */
  meter?: string | undefined;
}

/** The usage of one subscription. */
export class SubscriptionUsage {
  readonly #transport: Transport;
  readonly #subscription: { bucketId: string; subscriptionId: string };

  constructor(transport: Transport, bucketId: string, subscriptionId: string) {
    this.#transport = transport;
    this.#subscription = { bucketId, subscriptionId };
  }

  /**
   * The used and remaining amounts of this period, or of the period at a given time.
   *
   * @example
   * ```ts
   * const { meters, periodEnd } = await client.usage(bucketId, subscriptionId).get();
   * console.log(`${meters.requests?.available} requests are left until ${periodEnd}`);
   * ```
   */
  get({ at, ...options }: { at?: string } & RequestOptions = {}): Promise<Usage> {
    return this.#transport.call("getUsage", { params: this.#subscription, query: { at }, options });
  }

  /**
   * The usage of each period.
   *
   * @example
   * ```ts
   * const periods = await client.usage(bucketId, subscriptionId).history({ from: "2030-01-01T00:00:00Z" });
   * for (const { periodStart, meters } of periods) console.log(periodStart, meters.requests?.used);
   * ```
   */
  async history({ from, to, ...options }: TimeRange & RequestOptions = {}): Promise<Usage[]> {
    const call = { params: this.#subscription, query: { from, to }, options };
    return (await this.#transport.call("getUsageHistory", call)).data;
  }

  /**
   * The usage by hour or day, in this period by default, with a forecast.
   *
   * @example
   * ```ts
   * const { meters } = await client.usage(bucketId, subscriptionId).series({ step: "1d" });
   * for (const { time, used } of meters.requests?.points ?? []) console.log(time, used);
   * console.log(`about ${meters.requests?.forecast} of ${meters.requests?.max}`);
   * ```
   */
  series(options: UsageSeriesOptions = {}): Promise<UsageSeries> {
    return this.#transport.call("getUsageSeries", this.#seriesCall(options));
  }

  /**
   * The usage series as CSV: a row for each point of each meter.
   *
   * @example
   * ```ts
   * const csv = await client.usage(bucketId, subscriptionId).seriesCsv({ step: "1d" });
   * ```
   */
  async seriesCsv(options: UsageSeriesOptions = {}): Promise<string> {
    return (await this.#transport.csv("getUsageSeries", this.#seriesCall(options))).text;
  }

  #seriesCall({ from, to, step, meter, ...options }: UsageSeriesOptions) {
    return { params: this.#subscription, query: { from, to, step, meter }, options };
  }

  /**
   * Consumes all of the amounts from the quota, or nothing. A retry never consumes twice.
   *
   * @example
   * ```ts
   * const { allowed } = await client.usage(bucketId, subscriptionId).consume({ requests: 1 });
   * if (!allowed) throw new Error("The plan is used up");
   * ```
   */
  consume(meters: ConsumeQuota["meters"], options?: CreateOptions): Promise<ConsumedQuota> {
    return this.#transport.call("consumeQuota", { params: this.#subscription, body: { meters }, options });
  }
}

/** A CloudEvent 1.0 that reports a customer's usage. */
export interface UsageEvent {
  specversion: "1.0";
  /** Identifies the event together with `source`: it is counted once, however often it is sent. */
  id: string;
  source: string;
  type: string;
  /** The `customerKey` of a subscription. */
  subject: string;
  /** RFC 3339; now by default. Late events count in the period of their time. */
  time?: string;
  /** The amount of each meter, greater than 0. */
  data: Record<string, number>;
  /** Other CloudEvents attributes. */
  [extension: string]: unknown;
}

/** The usage events of one metering bucket. */
export class Events {
  readonly #transport: Transport;
  readonly #bucketId: string;

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#bucketId = bucketId;
  }

  /**
   * Counts usage. Resolves when it is stored durably. `rejected` lists the events that were not counted.
   * An event that was sent before is a duplicate, also if the response to the first attempt was lost.
   *
   * @example
   * ```ts
   * const { accepted, rejected } = await client.events(bucketId).send([
   *   { specversion: "1.0", id: "req-1", source: "gateway", type: "request", subject: "acme", data: { requests: 1 } },
   * ]);
   * ```
   */
  send(events: UsageEvent[], options?: RequestOptions): Promise<IngestedEvents> {
    const params = { bucketId: this.#bucketId };
    return this.#transport.call("recordUsage", { params, body: events, isRepeatable: true, options });
  }
}
