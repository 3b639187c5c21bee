import type { Transport } from "../transport/transport.ts";
import { type ListUsageOptions, MeteringCalls } from "./resources.gen.ts";

/** Metering buckets: containers for plans, subscriptions and usage. */
export class Metering extends MeteringCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
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
  usageCsv(
    bucketId: string,
    { near, meter, customerKeys, rankedOn, ...paging }: ListUsageOptions = {},
  ): AsyncGenerator<string, void, undefined> {
    const query = { near: near?.toString(), meter, customerKeys: customerKeys?.join(), rankedOn };
    return this.#transport.csvPages("listUsage", { call: { params: { bucketId }, query }, paging });
  }
}
