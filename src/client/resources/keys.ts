import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, TagOptions } from "../transport/options.ts";
import type { ApiKey, ApiKeyCreate, ApiKeyUpdate, RollKey, RollOneKey } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import type { KeyFormat } from "./consumers.ts";

export interface KeyFormatOptions {
  /** The format of a value; `masked` by default. `visible` requires a bucket with retrievable keys. */
  keyFormat?: KeyFormat;
}

/** The API keys of one consumer. */
export class Keys {
  readonly #transport: Transport;
  readonly #consumer: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#consumer = { bucketName, consumerName };
  }

  /**
   * All keys of the consumer, including expired ones.
   *
   * @example
   * ```ts
   * for await (const { id, key } of client.keys("main", "acme").list({ keyFormat: "visible" })) console.log(id, key);
   * ```
   */
  list(options: KeyFormatOptions & TagOptions & PageOptions & RequestOptions = {}): List<ApiKey> {
    const { keyFormat, tag, ...paging } = options;
    const query = { "key-format": keyFormat, tag };
    return this.#transport.list("listKeys", { call: { params: this.#consumer, query }, paging });
  }

  /**
   * Creates a key, generated unless a value is given. The response contains the value.
   *
   * @example
   * ```ts
   * const { key } = await client.keys("main", "acme").create({ description: "production" });
   * ```
   */
  create(key: ApiKeyCreate = {}, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<ApiKey> {
    return this.#transport.call("createKey", { params: this.#consumer, query: { tag }, body: key, options });
  }

  /**
   * Creates up to 1,000 keys, all or none. The response contains their values in the same order.
   *
   * @example
   * ```ts
   * const keys = await client.keys("main", "acme").createMany([{ description: "one" }, { description: "two" }]);
   * ```
   */
  async createMany(keys: ApiKeyCreate[], { tag, ...options }: TagOptions & CreateOptions = {}): Promise<ApiKey[]> {
    const call = { params: this.#consumer, query: { tag }, body: keys, options };
    return (await this.#transport.call("createKeys", call)).data;
  }

  /**
   * One key.
   *
   * @example
   * ```ts
   * const { expiresOn } = await client.keys("main", "acme").get(keyId);
   * ```
   */
  get(
    id: string,
    { keyFormat, tag, ...options }: KeyFormatOptions & TagOptions & RequestOptions = {},
  ): Promise<ApiKey> {
    const query = { "key-format": keyFormat, tag };
    return this.#transport.call("getKey", { params: { ...this.#consumer, keyId: id }, query, options });
  }

  /**
   * Changes a key. If its value changes, the old one stops working immediately.
   *
   * @example
   * ```ts
   * await client.keys("main", "acme").update(keyId, { expiresOn: "2030-01-31T10:00:00Z" });
   * ```
   */
  update(id: string, changes: ApiKeyUpdate, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<ApiKey> {
    const params = { ...this.#consumer, keyId: id };
    return this.#transport.call("updateKey", { params, query: { tag }, body: changes, options });
  }

  /**
   * Deletes a key: it stops working immediately.
   *
   * @example
   * ```ts
   * await client.keys("main", "acme").delete(keyId);
   * ```
   */
  delete(id: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    return this.#transport.call("deleteKey", { params: { ...this.#consumer, keyId: id }, query: { tag }, options });
  }

  /**
   * Creates a key, and sets the expiry of all keys that have none; a past time revokes them immediately.
   * Returns the id of the new key.
   *
   * @example
   * ```ts
   * const keys = client.keys("main", "acme");
   * const newKeyId = await keys.roll({ expiresOn: "2030-01-31T10:00:00Z" });
   * const { key } = await keys.get(newKeyId, { keyFormat: "visible" });
   * ```
   */
  async roll(roll: RollKey, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<string> {
    const call = { params: this.#consumer, query: { tag }, body: roll, options };
    const { headers } = await this.#transport.send("rollKey", call);
    return headers.get("location")!.split("/").at(-1)!;
  }

  /**
   * Creates a key with the description and rules of this one, and lets this one expire. Returns the new key with its value.
   *
   * @example
   * ```ts
   * const { key } = await client.keys("main", "acme").rollOne(keyId, { expiresOn: "2030-01-31T10:00:00Z" });
   * ```
   */
  rollOne(keyId: string, roll: RollOneKey, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<ApiKey> {
    const params = { ...this.#consumer, keyId };
    return this.#transport.call("rollOneKey", { params, query: { tag }, body: roll, options });
  }
}
