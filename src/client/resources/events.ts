import type { RequestOptions } from "../transport/options.ts";
import type { EventVoid, IngestedEvents, VoidedEvent } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

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
    return this.#transport.call("recordUsage", this.#call(events, options));
  }

  /**
   * The same without retries, for callers that repeat it themselves, as `UsageReporter` does.
   *
   * @example
   * ```ts
   * await client.events(bucketId).sendOnce([
   *   { specversion: "1.0", id: "req-2", source: "gateway", type: "request", subject: "acme", data: { requests: 1 } },
   * ]);
   * ```
   */
  sendOnce(events: UsageEvent[], options?: RequestOptions): Promise<IngestedEvents> {
    return this.#transport.callOnce("recordUsage", this.#call(events, options));
  }

  #call(events: UsageEvent[], options: RequestOptions | undefined) {
    return { params: { bucketId: this.#bucketId }, body: events, isRepeatable: true, options };
  }

  /**
   * Takes a stored event back: usage falls by its amounts, and what it cost is returned. Its id stays a duplicate.
   * Throws 404 if the event is not stored any more.
   */
  void(event: EventVoid, options?: RequestOptions): Promise<VoidedEvent> {
    const params = { bucketId: this.#bucketId };
    return this.#transport.call("voidEvent", { params, body: event, isRepeatable: true, options });
  }
}
