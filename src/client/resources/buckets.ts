import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type { KeyBucket, KeyBucketCreate, KeyBucketUpdate } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export interface DeleteBucketOptions extends ChangeOptions {
  /** Deletes the contents of the bucket too. */
  force?: boolean;
}

/** Key buckets: containers for consumers and their keys. */
export class Buckets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All key buckets of the account.
   *
   * @example
   * ```ts
   * for await (const bucket of client.buckets.list()) console.log(bucket.name, bucket.keyPrefix);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<KeyBucket> {
    return this.#transport.list("listKeyBuckets", { call: {}, paging: options });
  }

  /**
   * Creates a key bucket. A bucket with default settings is also created automatically with its first consumer.
   *
   * @example
   * ```ts
   * await client.buckets.create({ name: "payments", keyPrefix: "pay", isRetrievable: false });
   * ```
   */
  create(bucket: KeyBucketCreate, options?: CreateOptions): Promise<KeyBucket> {
    return this.#transport.call("createKeyBucket", { body: bucket, options });
  }

  /**
   * One key bucket.
   *
   * @example
   * ```ts
   * const { isRetrievable } = await client.buckets.get("payments");
   * ```
   */
  get(name: string, options?: RequestOptions): Promise<KeyBucket> {
    return this.#transport.call("getKeyBucket", { params: { bucketName: name }, options });
  }

  /**
   * Changes a key bucket. A given field replaces the old value, `null` clears it, an absent field is kept.
   *
   * @example
   * ```ts
   * await client.buckets.update("payments", { description: "Keys of the payment API", tags: null });
   * ```
   */
  update(name: string, changes: KeyBucketUpdate, options?: ChangeOptions): Promise<KeyBucket> {
    return this.#transport.call("updateKeyBucket", { params: { bucketName: name }, body: changes, options });
  }

  /**
   * Deletes a key bucket. Rejected if it contains consumers, unless `force` is set.
   *
   * @example
   * ```ts
   * await client.buckets.delete("payments", { force: true });
   * ```
   */
  delete(name: string, { force, ...options }: DeleteBucketOptions = {}): Promise<void> {
    return this.#transport.call("deleteKeyBucket", { params: { bucketName: name }, query: { force }, options });
  }
}
