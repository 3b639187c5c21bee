import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, TagOptions } from "../transport/options.ts";
import type {
  BulkConsumersResult,
  Consumer,
  ConsumerCreate,
  ConsumerUpdate,
  DeleteConsumers,
  UpdateConsumers,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** How much of a key's value is shown. */
export type KeyFormat = "none" | "masked" | "visible";

/** Selects what the response includes. */
export interface IncludeOptions {
  includeApiKeys?: boolean;
  includeManagers?: boolean;
  includeManagerInvites?: boolean;
  /** The format of included keys; `masked` by default. */
  keyFormat?: KeyFormat;
}

export interface ListConsumersOptions extends IncludeOptions, TagOptions, PageOptions, RequestOptions {
  /** Only consumers with a manager or an invite of this e-mail address. */
  managerEmail?: string;
  /** Only consumers whose name has this prefix. */
  namePrefix?: string;
}

export interface CreateConsumerOptions extends CreateOptions {
  /** Creates a key with the consumer; `apiKeys` in the response contains its value. */
  withApiKey?: boolean;
}

/** The consumers of one key bucket: named holders of API keys. */
export class Consumers {
  readonly #transport: Transport;
  readonly #bucket: { bucketName: string };

  constructor(transport: Transport, bucketName: string) {
    this.#transport = transport;
    this.#bucket = { bucketName };
  }

  /**
   * All consumers of the bucket that match the options, in the order of creation.
   *
   * @example
   * ```ts
   * const gold = client.consumers("main").list({ tag: { plan: "gold" }, includeApiKeys: true });
   * for await (const { name, apiKeys } of gold) console.log(name, apiKeys?.length);
   * ```
   */
  list({ tag, managerEmail, namePrefix, ...options }: ListConsumersOptions = {}): List<Consumer> {
    const { included, paging } = split(options);
    const query = { ...included, "manager-email": managerEmail, q: namePrefix, tag };
    return this.#transport.list("listConsumers", { call: { params: this.#bucket, query }, paging });
  }

  /**
   * Creates a consumer with its keys and managers, all or none.
   * The response contains the values of the created keys.
   *
   * @example
   * ```ts
   * const acme = await client.consumers("main").create(
   *   { name: "acme", tags: { plan: "gold" }, metadata: { seats: 12 }, managers: ["ann@acme.example"] },
   *   { withApiKey: true },
   * );
   * console.log(acme.apiKeys?.[0]?.key);
   * ```
   */
  create(consumer: ConsumerCreate, { withApiKey, ...options }: CreateConsumerOptions = {}): Promise<Consumer> {
    const query = { "with-api-key": withApiKey };
    return this.#transport.call("createConsumer", { params: this.#bucket, query, body: consumer, options });
  }

  /**
   * One consumer.
   *
   * @example
   * ```ts
   * const acme = await client.consumers("main").get("acme", { includeManagers: true });
   * ```
   */
  get(name: string, { tag, ...options }: IncludeOptions & TagOptions & RequestOptions = {}): Promise<Consumer> {
    const { included, paging } = split(options);
    const query = { ...included, tag };
    return this.#transport.call("getConsumer", {
      params: { ...this.#bucket, consumerName: name },
      query,
      options: paging,
    });
  }

  /**
   * Changes a consumer. A given field replaces the old value, `null` clears it, an absent field is kept.
   *
   * @example
   * ```ts
   * await client.consumers("main").update("acme", { tags: { plan: "silver" }, description: null });
   * ```
   */
  update(
    name: string,
    changes: ConsumerUpdate,
    { tag, ...options }: TagOptions & ChangeOptions = {},
  ): Promise<Consumer> {
    return this.#transport.call("updateConsumer", {
      params: { ...this.#bucket, consumerName: name },
      query: { tag },
      body: changes,
      options,
    });
  }

  /**
   * Deletes a consumer. Its keys stop working immediately; its managers and invites are deleted too.
   *
   * @example
   * ```ts
   * await client.consumers("main").delete("acme");
   * ```
   */
  delete(name: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteConsumer", {
      params: { ...this.#bucket, consumerName: name },
      query: { tag },
      options,
    });
  }

  /**
   * Changes the description and tags of many consumers.
   * With `dryRun` it only returns the matches; above 1,000 it starts a job.
   *
   * @example
   * ```ts
   * const where = { "tag.plan": "silver" };
   * const result = await client.consumers("main").updateMany({ where, set: { addTags: { plan: "gold" } } });
   * if ("jobId" in result) console.log((await client.job(result.jobId)).state);
   * ```
   */
  updateMany(change: UpdateConsumers, options?: CreateOptions): Promise<BulkConsumersResult> {
    return this.#transport.call("updateConsumers", { params: this.#bucket, body: change, options });
  }

  /**
   * Deletes many consumers with their keys, managers and invites.
   * With `dryRun` it only returns the matches; above 1,000 it starts a job.
   *
   * @example
   * ```ts
   * const result = await client.consumers("main").deleteMany({ names: ["acme", "globex"], dryRun: true });
   * if ("matched" in result) console.log(result.matched, result.keys);
   * ```
   */
  deleteMany(consumers: DeleteConsumers, options?: CreateOptions): Promise<BulkConsumersResult> {
    return this.#transport.call("deleteConsumers", { params: this.#bucket, body: consumers, options });
  }
}

/** Splits the options into the API's names of included parts, and the rest. */
function split<Rest extends object>(options: IncludeOptions & Rest) {
  const { includeApiKeys, includeManagers, includeManagerInvites, keyFormat, ...paging } = options;
  const included = {
    "include-api-keys": includeApiKeys,
    "include-managers": includeManagers,
    "include-manager-invites": includeManagerInvites,
    "key-format": keyFormat,
  };
  return { included, paging };
}
