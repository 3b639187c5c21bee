import { createAccount, deleteAccount } from "../../src/areas/accounts/accounts.ts";
import { deleteBucket, deleteBucketsOf } from "../../src/areas/buckets/buckets.ts";
import { BucketDirectory } from "../../src/areas/buckets/directory.ts";
import { type Consumer, Consumers } from "../../src/areas/consumers/consumers.ts";
import { Keys } from "../../src/areas/keys/keys.ts";
import { KeyVerifier } from "../../src/areas/keys/verifier.ts";
import type { Act } from "../../src/core/access/access.ts";
import { openKeyring } from "../../src/core/database/encryption.ts";
import { unique } from "./metering.ts";
import type { TestStorage } from "./storage.ts";

/** The keys of an account of its own, without a server above them. */
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
    const buckets = new BucketDirectory(open);
    const account = await open.write((transaction) =>
      createAccount(transaction, { actor: "system", now: clock.now() }, unique("account")),
    );
    const verifier = new KeyVerifier(open, buckets, 1024 * 1024);
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
  async consumer(
    bucket: string,
    options: { metadata?: Record<string, unknown>; expiresOn?: number; key?: string } = {},
  ) {
    const { metadata, expiresOn, key: value } = options;
    const input = { name: unique("consumer"), metadata, apiKeys: [{ expiresOn, key: value }], withApiKey: false };
    const created = await this.storage.open.write((transaction) =>
      this.consumers.create(transaction, this.act, bucket, input),
    );
    const { id: keyId, key } = created.apiKeys[0]!;
    return { consumer: created.consumer, keyId, key: key! };
  }

  async deleteBucket(name: string): Promise<void> {
    await this.storage.open.write((transaction) =>
      deleteBucket(transaction, this.act, name, { force: true, precondition: () => {} }),
    );
  }

  async deleteAccount(): Promise<void> {
    await this.storage.open.write((transaction) => deleteAccount(transaction, this.act, [deleteBucketsOf]));
  }

  async deleteKey(consumer: Consumer, keyId: string): Promise<void> {
    await this.storage.open.write((transaction) => this.keys.delete(transaction, this.act, consumer, keyId, () => {}));
  }
}
