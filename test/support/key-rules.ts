import { createAccount, deleteAccount } from "../../src/areas/access/accounts/accounts.ts";
import { type Consumer, Consumers } from "../../src/areas/api-keys/consumers/consumers.ts";
import { KeyBucketDirectory } from "../../src/areas/api-keys/key-buckets/directory.ts";
import {
  deleteKeyBucket,
  deleteKeyBucketsOf,
  type KeyBucket,
} from "../../src/areas/api-keys/key-buckets/key-buckets.ts";
import { type Key, type KeyInput, type KeyPatch, Keys } from "../../src/areas/api-keys/keys/keys.ts";
import { KeyVerifier } from "../../src/areas/api-keys/keys/verification/verifier.ts";
import type { Act } from "../../src/core/access.ts";
import { openKeyring } from "../../src/core/database/encryption.ts";
import { RateLimitWindows } from "../../src/counting/limits/windows.ts";
import type { Reads } from "../../src/platform/storage/storage.ts";
import { unique } from "./metering.ts";
import type { TestStorage } from "./storage.ts";

/** The keys of a new account, without a server. */
export class KeyAccount {
  private constructor(
    private readonly storage: TestStorage,
    readonly account: Act["account"],
    readonly verifier: KeyVerifier,
    private readonly consumers: Consumers,
    private readonly keys: Keys,
  ) {}

  static async create(storage: TestStorage): Promise<KeyAccount> {
    const { open, clock, dataDirectory } = storage;
    const keyring = await openKeyring(open, { configured: [], dataDirectory, now: clock.now() });
    const buckets = new KeyBucketDirectory(open);
    const account = await open.write((transaction) =>
      createAccount(transaction, { actor: "system", now: clock.now() }, unique("account")),
    );
    const verifier = new KeyVerifier(open, buckets, 1024 * 1024, new RateLimitWindows(open));
    const keys = new Keys(keyring);
    return new KeyAccount(storage, account, verifier, new Consumers(keys, buckets), keys);
  }

  /** Another account, whose keys are verified by the same verifier. */
  async neighbour(): Promise<KeyAccount> {
    const { open, clock } = this.storage;
    const account = await open.write((transaction) =>
      createAccount(transaction, { actor: "system", now: clock.now() }, unique("account")),
    );
    return new KeyAccount(this.storage, account, this.verifier, this.consumers, this.keys);
  }

  get act(): Act {
    return { account: this.account, actor: "system", now: this.storage.clock.now() };
  }

  /** A new consumer with one key. */
  async consumer(bucket: string, options: { metadata?: Record<string, unknown> } & Omit<KeyInput, "metadata"> = {}) {
    const { metadata, ...apiKey } = options;
    const input = { name: unique("consumer"), metadata, apiKeys: [apiKey], withApiKey: false };
    const created = await this.storage.open.write((transaction) =>
      this.consumers.create(transaction, this.act, bucket, input),
    );
    const { id: keyId, key } = created.apiKeys[0]!;
    return { consumer: created.consumer, keyId, key: key! };
  }

  async deleteKeyBucket(name: string): Promise<void> {
    await this.storage.open.write((transaction) =>
      deleteKeyBucket(transaction, this.act, name, { force: true, precondition: () => {} }),
    );
  }

  async deleteAccount(): Promise<void> {
    await this.storage.open.write((transaction) =>
      deleteAccount(transaction, this.act, [deleteKeyBucketsOf], () => {}),
    );
  }

  async deleteKey(consumer: Consumer, keyId: string): Promise<void> {
    await this.storage.open.write(async (transaction) => {
      const bucket = await this.#bucketOf(transaction, consumer);
      await this.keys.delete(transaction, this.act, bucket, consumer, keyId, () => {});
    });
  }

  async updateKey(consumer: Consumer, keyId: string, patch: KeyPatch): Promise<void> {
    await this.storage.open.write(async (transaction) => {
      const bucket = await this.#bucketOf(transaction, consumer);
      await this.keys.update(transaction, this.act, bucket, consumer, keyId, patch, () => {});
    });
  }

  /** The same account, verified by a node with empty caches. */
  async otherNode(): Promise<KeyAccount> {
    const { open } = this.storage;
    const verifier = new KeyVerifier(open, new KeyBucketDirectory(open), 1024 * 1024, new RateLimitWindows(open));
    return new KeyAccount(this.storage, this.account, verifier, this.consumers, this.keys);
  }

  keyRow(consumer: Consumer, keyId: string): Promise<Key> {
    return this.keys.find(this.storage.open.reads, consumer, keyId);
  }

  async lastUsedOn(consumer: Consumer, keyId: string): Promise<number | null> {
    return (await this.keys.find(this.storage.open.reads, consumer, keyId)).last_used_on;
  }

  #bucketOf(reads: Reads, consumer: Consumer): Promise<KeyBucket> {
    return reads.query
      .selectFrom("key_buckets")
      .selectAll()
      .where("seq", "=", consumer.bucket_seq)
      .executeTakeFirstOrThrow();
  }
}
