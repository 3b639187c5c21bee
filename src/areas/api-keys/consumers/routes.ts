import type { z } from "zod";
import { areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { invalid, notFound } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { addressOf, consumerPath, consumersPath, namedConsumer } from "../consumer-addresses/consumer-address.ts";
import { matchesTags } from "../consumer-addresses/consumer-tags.ts";
import { invitesOfConsumers, managersOfConsumers } from "../consumer-managers/managers.ts";
import { presentInvite, presentManager } from "../consumer-managers/present.ts";
import type { KeyBucketDirectory } from "../key-buckets/directory.ts";
import { namedKeyBucket } from "../key-buckets/key-buckets.ts";
import { allowKeyFormat, type Keys } from "../keys/keys.ts";
import type { PresentedKey } from "../keys/present.ts";
import type { KeyReveals } from "../keys/reveals.ts";
import { bulkConsumerRoutes } from "./bulk-routes.ts";
import type { Consumer, ConsumerListFilter, Consumers } from "./consumers.ts";
import { presentConsumer } from "./present.ts";
import {
  consumer,
  consumerInput,
  consumerPatch,
  createQuery,
  includeQuery,
  listQuery,
  maxSortedOffset,
} from "./schema.ts";

const example = {
  id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu",
  name: "acme",
  description: "Acme Inc.",
  tags: { plan: "gold" },
  metadata: { seats: 12 },
  createdOn: "2026-01-31T10:00:00.000Z",
  updatedOn: "2026-01-31T10:00:00.000Z",
};

export function consumerArea(consumers: Consumers, keys: Keys, buckets: KeyBucketDirectory, reveals: KeyReveals) {
  const including = presenterWith(keys);
  const operations = [
    list({
      operationId: "listConsumers",
      path: consumersPath,
      summary: "List consumers",
      access: "read",
      query: listQuery,
      takesTags: true,
      item: consumer,
      listName: "ConsumerList",
      problems: ["keys_not_retrievable", "key_value_lost"],
      examples: { response: { data: [example], limit: 1000, offset: 0, total: 1 } },
      handle: async ({ reads, account, params, query, tags, caller, act }) => {
        const bucket = await buckets.find(account.seq, params.bucketName);
        allowKeyFormat(query["key-format"], caller.role, bucket);
        const { names, sort } = query;
        const filter = { tags, managerEmail: query["manager-email"], namePrefix: query.q, names, now: act.now };
        checkOrder(filter, sort, query.offset);
        if (!bucket) return { data: [], total: 0 };
        const { data, total } = await (sort
          ? consumers.listByLastUse(reads, bucket, query)
          : consumers.list(reads, bucket, filter, query));
        const { present, keyCount } = await including(reads, data, query, act.now);
        await reveals.record(act, query["key-format"], namedKeyBucket(bucket), keyCount);
        return presentPage({ data, total }, present);
      },
    }),
    write({
      operationId: "createConsumer",
      method: "POST",
      path: consumersPath,
      summary: "Create a consumer",
      description:
        "Creates the consumer with its keys and managers, all or none. The response contains the values of the keys that were created; " +
        "a bucket that does not exist is created. A tag condition is checked against the tags of the new consumer.",
      access: "edit",
      query: createQuery,
      takesTags: true,
      body: consumerInput,
      response: consumer,
      problems: ["consumer_exists", "customer_exists", "key_exists", "manager_exists", "invite_exists"],
      examples: {
        request: { name: "acme", description: "Acme Inc.", tags: { plan: "gold" }, metadata: { seats: 12 } },
        response: example,
      },
      handle: async ({ act, params, query, tags, body }, transaction) => {
        if (!matchesTags(body.tags, tags)) throw notFound("consumer");
        const input = {
          ...body,
          withApiKey: query["with-api-key"],
          adoptsCustomer: query["adopt-customer"],
        };
        const created = await consumers.create(transaction, act, params.bucketName, input);
        return {
          body: {
            ...presentConsumer(created.consumer),
            ...(created.apiKeys.length > 0 ? { apiKeys: created.apiKeys } : {}),
            ...(created.managers.length > 0 ? { managers: created.managers.map(presentManager) } : {}),
            ...(created.invites.length > 0 ? { managerInvites: created.invites.map(presentInvite) } : {}),
          },
          revision: created.consumer,
        };
      },
    }),
    read({
      operationId: "getConsumer",
      path: consumerPath,
      summary: "Read a consumer",
      access: "read",
      query: includeQuery,
      takesTags: true,
      response: consumer,
      problems: ["keys_not_retrievable", "key_value_lost"],
      examples: { response: example },
      handle: async (input) => {
        const { reads, query, caller, act } = input;
        allowKeyFormat(query["key-format"], caller.role, undefined);
        const { bucket, consumer: found } = await consumers.find(reads, addressOf(input));
        allowKeyFormat(query["key-format"], caller.role, bucket);
        const { present, keyCount } = await including(reads, [found], query, act.now);
        await reveals.record(act, query["key-format"], namedConsumer(found), keyCount);
        const composed = query["include-api-keys"] || query["include-managers"] || query["include-manager-invites"];
        return { body: present(found), revision: found, composed };
      },
    }),
    write({
      operationId: "updateConsumer",
      method: "PATCH",
      path: consumerPath,
      summary: "Change a consumer",
      description: "A given field replaces the whole old value, `null` clears it, an absent field is not changed.",
      access: "edit",
      isMasked: true,
      takesTags: true,
      body: consumerPatch,
      response: consumer,
      examples: { request: { tags: { plan: "silver" }, description: null }, response: example },
      handle: async (input, transaction) => {
        const { act, body, precondition } = input;
        const updated = await consumers.update(transaction, act, addressOf(input), body, precondition);
        return { body: presentConsumer(updated), revision: updated };
      },
    }),
    remove({
      operationId: "deleteConsumer",
      path: consumerPath,
      summary: "Delete a consumer",
      description: "Its keys stop working immediately; its managers and invites are deleted too.",
      access: "edit",
      takesTags: true,
      handle: async (input, transaction) => {
        const { act, precondition } = input;
        await consumers.delete(transaction, act, addressOf(input), precondition);
      },
    }),
    ...bulkConsumerRoutes(buckets),
  ];
  return areaOf(
    { Consumers: "Holders of API keys. `tag.<name>=<value>` filters a list; on other calls it is a precondition." },
    operations,
  );
}

/** A sorted list and one of names have no other conditions. Throws a precise 400. */
function checkOrder(
  { tags, managerEmail, namePrefix, names }: ConsumerListFilter,
  sort: string | undefined,
  offset: number,
): void {
  const isFiltered = tags.length > 0 || managerEmail !== undefined || (namePrefix ?? "") !== "";
  if (names !== undefined && isFiltered) throw invalid("?names", "cannot be combined with other filters");
  if (sort === undefined) return;
  if (isFiltered || names !== undefined) throw invalid("?sort", "cannot be combined with filters");
  if (offset > maxSortedOffset) throw invalid("?offset", `must be at most ${maxSortedOffset} in a sorted list`);
}

/** Reads what consumers include, and returns how to present them. Runs one query for each kind, not for each consumer. */
function presenterWith(keys: Keys) {
  return async (reads: Reads, rows: Consumer[], query: z.output<typeof includeQuery>, now: number) => {
    const seqs = rows.map((row) => row.seq);
    const apiKeys: Map<number, PresentedKey[]> | undefined = query["include-api-keys"]
      ? await keys.keysByConsumer(reads, seqs, query["key-format"])
      : undefined;
    const managers = query["include-managers"] ? await managersOfConsumers(reads, seqs) : undefined;
    const invites = query["include-manager-invites"] ? await invitesOfConsumers(reads, seqs, now) : undefined;
    const present = (row: Consumer) => ({
      ...presentConsumer(row),
      ...(apiKeys ? { apiKeys: apiKeys.get(row.seq)! } : {}),
      ...(managers ? { managers: managers.get(row.seq)!.map(presentManager) } : {}),
      ...(invites ? { managerInvites: invites.get(row.seq)!.map(presentInvite) } : {}),
    });
    return { present, keyCount: apiKeys ? apiKeys.values().reduce((sum, ofOne) => sum + ofOne.length, 0) : 0 };
  };
}
