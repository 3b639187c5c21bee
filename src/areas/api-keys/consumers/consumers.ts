import type { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { invalid, notFound, Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { emailKey } from "../../../lib/text/email.ts";
import { UniqueViolation } from "../../../platform/storage/errors.ts";
import { findRow, lockRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import {
  type ConsumerAddress,
  type ConsumerFinder,
  namedConsumer,
  type TagFilter,
} from "../consumer-addresses/consumer-address.ts";
import { matchesTags, readTags } from "../consumer-addresses/consumer-tags.ts";
import {
  addManager,
  type Invite,
  inviteManager,
  type Manager,
  type ManagerInput,
} from "../consumer-managers/managers.ts";
import type { KeyBucketDirectory } from "../key-buckets/directory.ts";
import { ensureKeyBucket, findKeyBucketIfAny, type KeyBucket, namedKeyBucket } from "../key-buckets/key-buckets.ts";
import { deleteKeysOf, type Keys } from "../keys/keys.ts";
import type { PresentedKey } from "../keys/present.ts";
import { presentConsumer } from "./present.ts";
import type { consumerInput, consumerPatch } from "./schema.ts";
import * as store from "./store.ts";

export type Consumer = store.ConsumerRow;

type ConsumerInput = Omit<z.output<typeof consumerInput>, "managers"> & {
  managers?: (string | ManagerInput)[] | undefined;
  withApiKey: boolean;
  /** Takes over the customer of a deleted consumer of its name. */
  adoptsCustomer?: boolean;
};

export interface CreatedConsumer {
  consumer: Consumer;
  apiKeys: PresentedKey[];
  managers: Manager[];
  invites: Invite[];
}

type ConsumerPatch = z.output<typeof consumerPatch>;

export interface ConsumerListFilter {
  tags: TagFilter;
  managerEmail: string | undefined;
  /** The prefix of their names. */
  namePrefix: string | undefined;
  names?: string[] | undefined;
  now: number;
}

/** What later areas do in the transaction that creates a consumer. */
export interface ConsumerHooks {
  created(
    transaction: WriteTransaction,
    act: Act,
    bucket: KeyBucket,
    consumer: Pick<Consumer, "id" | "name">,
    options: { adoptsCustomer: boolean },
  ): Promise<void>;
}

export class Consumers implements ConsumerFinder {
  constructor(
    private readonly keys: Keys,
    private readonly buckets: KeyBucketDirectory,
    private readonly hooks?: ConsumerHooks,
  ) {}

  /** Returns the consumer with its keys and managers. */
  async create(
    transaction: WriteTransaction,
    act: Act,
    bucketName: string,
    input: ConsumerInput,
  ): Promise<CreatedConsumer> {
    // Not from the cache, which may contain a bucket that has just been deleted: a consumer in it would be removed with
    // it.
    const bucket = await ensureKeyBucket(transaction, act, bucketName);
    if (!this.buckets.peek(act.account.seq, bucketName)) this.buckets.cacheSoon(act.account.seq, bucketName);
    const consumer = await this.#insert(transaction, act, bucket, input);
    const { adoptsCustomer = false } = input;
    await this.hooks?.created(transaction, act, bucket, consumer, { adoptsCustomer });
    const inputs = [...(input.withApiKey ? [{}] : []), ...(input.apiKeys ?? [])];
    const firstGiven = input.withApiKey ? 1 : 0;
    const apiKeys =
      inputs.length === 0
        ? []
        : await this.keys.create(
            transaction,
            act,
            bucket,
            consumer,
            inputs,
            (index) => `/apiKeys/${index - firstGiven}`,
          );
    const managers: Manager[] = [];
    const invites: Invite[] = [];
    for (const manager of input.managers ?? []) {
      if (typeof manager === "string") invites.push(await inviteManager(transaction, act, consumer, manager));
      else managers.push(await addManager(transaction, act, consumer, manager));
    }
    store.countConsumer(transaction, bucket, consumer, 1);
    return { consumer, apiKeys, managers, invites };
  }

  async list(
    reads: Reads,
    bucket: KeyBucket,
    { managerEmail, ...filter }: ConsumerListFilter,
    paging: Paging,
  ): Promise<store.ConsumerPage> {
    const managerEmailKey = managerEmail === undefined ? undefined : emailKey(managerEmail);
    return store.listConsumers(reads, bucket, { ...filter, managerEmailKey }, paging);
  }

  listByLastUse(reads: Reads, bucket: KeyBucket, paging: Paging): Promise<store.ConsumerPage> {
    return store.listByLastUse(reads, bucket, paging);
  }

  async find(reads: Reads, address: ConsumerAddress): Promise<{ bucket: KeyBucket; consumer: Consumer }> {
    const bucket = await this.#bucketOf(reads, address);
    const found = await findRow(reads, "consumers", { bucket_seq: bucket.seq, name: address.consumerName });
    return { bucket, consumer: present(found, address) };
  }

  async findIfBucketExists(reads: Reads, address: ConsumerAddress): Promise<Consumer | undefined> {
    if (!(await this.#bucketIfAny(reads, address))) return undefined;
    return (await this.find(reads, address)).consumer;
  }

  async findForUpdate(
    transaction: WriteTransaction,
    address: ConsumerAddress,
  ): Promise<{ bucket: KeyBucket; consumer: Consumer }> {
    const bucket = await findKeyBucketIfAny(transaction, address.accountSeq, address.bucketName);
    if (!bucket) throw notFound("consumer");
    const found = await lockRow(transaction, "consumers", { bucket_seq: bucket.seq, name: address.consumerName });
    return { bucket, consumer: present(found, address) };
  }

  async update(
    transaction: WriteTransaction,
    act: Act,
    address: ConsumerAddress,
    patch: ConsumerPatch,
    precondition: Precondition,
  ): Promise<Consumer> {
    const { bucket, consumer } = await this.findForUpdate(transaction, address);
    precondition(consumer);
    if (Object.values(patch).every((value) => value === undefined)) return consumer;
    const changed = {
      ...(patch.displayName === undefined ? {} : { display_name: patch.displayName }),
      ...(patch.description === undefined ? {} : { description: patch.description }),
      ...(patch.tags === undefined ? {} : { tags: patch.tags && JSON.stringify(patch.tags) }),
      ...(patch.metadata === undefined ? {} : { metadata: patch.metadata && JSON.stringify(patch.metadata) }),
      ...changedSuspension(consumer, patch, "/suspensionReason"),
      version: consumer.version + 1,
      updated_on: act.now,
    };
    const updated = { ...consumer, ...changed };
    await store.updateConsumer(transaction, consumer, changed);
    if (patch.tags !== undefined) await store.replaceTags(transaction, bucket, consumer, updated);
    const resource = {
      ...namedConsumer(consumer),
      parent: namedKeyBucket(bucket),
      before: presentConsumer(consumer),
      after: presentConsumer(updated),
    };
    recordChange(transaction, act, "consumer.updated", resource, { isSuspended: updated.is_suspended === 1 });
    return updated;
  }

  /** Deletes a consumer with its keys, managers and invites. */
  async delete(
    transaction: WriteTransaction,
    act: Act,
    address: ConsumerAddress,
    precondition: Precondition,
  ): Promise<void> {
    const { bucket, consumer } = await this.findForUpdate(transaction, address);
    precondition(consumer);
    const counts = await store.countBelongings(transaction, consumer.seq);
    await deleteKeysOf(transaction, bucket, consumer);
    await store.deleteConsumer(transaction, consumer);
    const before = presentConsumer(consumer);
    recordChange(transaction, act, "consumer.deleted", {
      ...namedConsumer(consumer),
      parent: namedKeyBucket(bucket),
      before,
      counts,
    });
    store.countConsumer(transaction, bucket, consumer, -1);
  }

  async #insert(transaction: WriteTransaction, act: Act, bucket: KeyBucket, input: ConsumerInput): Promise<Consumer> {
    try {
      const consumer = await store.insertConsumer(transaction, {
        id: newId("csmr", act.now),
        bucket_seq: bucket.seq,
        name: input.name,
        display_name: input.displayName ?? null,
        description: input.description ?? null,
        tags: input.tags ? JSON.stringify(input.tags) : null,
        metadata: input.metadata ? JSON.stringify(input.metadata) : null,
        is_suspended: 0,
        suspension_reason: null,
        version: 1,
        created_on: act.now,
        updated_on: act.now,
      });
      recordChange(transaction, act, "consumer.created", {
        ...namedConsumer(consumer),
        parent: namedKeyBucket(bucket),
        after: presentConsumer(consumer),
      });
      return consumer;
    } catch (error) {
      throw error instanceof UniqueViolation && error.constraint === "consumers_bucket_seq_name_key"
        ? new Problem("consumer_exists")
        : error;
    }
  }

  async #bucketOf(reads: Reads, address: ConsumerAddress): Promise<KeyBucket> {
    const bucket = await this.#bucketIfAny(reads, address);
    if (!bucket) throw notFound("consumer");
    return bucket;
  }

  async #bucketIfAny(reads: Reads, address: ConsumerAddress): Promise<KeyBucket | undefined> {
    return (
      this.buckets.peek(address.accountSeq, address.bucketName) ??
      (await findKeyBucketIfAny(reads, address.accountSeq, address.bucketName))
    );
  }
}

/** The columns of a suspension. A reason without one is a 400. */
export function changedSuspension(
  consumer: Pick<Consumer, "is_suspended" | "suspension_reason">,
  { isSuspended, suspensionReason }: Pick<ConsumerPatch, "isSuspended" | "suspensionReason">,
  pointer: string,
): Pick<Consumer, "is_suspended" | "suspension_reason"> {
  if (!(isSuspended ?? consumer.is_suspended === 1)) {
    if (suspensionReason != null) throw invalid(pointer, "is only for a suspended consumer: set isSuspended to true");
    return { is_suspended: 0, suspension_reason: null };
  }
  return {
    is_suspended: 1,
    suspension_reason: suspensionReason === undefined ? consumer.suspension_reason : suspensionReason,
  };
}

function present(consumer: Consumer | undefined, address: ConsumerAddress): Consumer {
  if (!consumer || !carriesTags(consumer, address.tags)) throw notFound("consumer");
  return consumer;
}

function carriesTags(consumer: Consumer, filter: TagFilter): boolean {
  return filter.length === 0 || matchesTags(readTags(consumer.tags), filter);
}
