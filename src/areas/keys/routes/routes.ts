import { z } from "zod";
import { list, read, write } from "../../../api/endpoint.ts";
import { listOf } from "../../../api/schemas.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import {
  addressOf,
  type ConsumerFinder,
  consumerPath,
  namedConsumer,
  type TagFilter,
} from "../../buckets/consumer-address.ts";
import type { BucketDirectory, BucketPlace } from "../../buckets/directory.ts";
import { allowKeyFormat, type Keys } from "../keys.ts";
import type { KeyReveals } from "../reveals.ts";
import {
  apiKey,
  bulkKeyInput,
  keyFormat,
  keyInput,
  keyPatch,
  parseVerifyInput,
  rollInput,
  verification,
  verifyInput,
} from "../schema.ts";
import type { KeyVerifier, Verdict } from "../verification/verifier.ts";

export const keyAreas = {
  Keys: "API keys of a consumer. A change takes effect on the next request of the same node, and on every node within a second.",
};

const area = "Keys";
const keysPath = `${consumerPath}/keys` as const;
const keyPath = `${keysPath}/{keyId}` as const;
const formatQuery = z.object({ "key-format": keyFormat });

const example = {
  id: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
  createdOn: "2026-01-31T10:00:00.000Z",
  updatedOn: "2026-01-31T10:00:00.000Z",
  expiresOn: null,
  description: "production",
  isEnabled: true,
  permissions: ["orders:*", "invoices:read"],
  allowedIps: ["192.0.2.0/24", "2001:db8::/32"],
  rateLimit: { requests: 600, windowSeconds: 60 },
  metadata: { environment: "production" },
  lastUsedOn: "2026-02-01T08:15:00.000Z",
  key: "****1b2c3d4e",
};

const createdExample = { ...example, lastUsedOn: null, key: "tg_0123456789abcdef0123456789abcdef_7759b50e" };

export function keyRoutes(
  keys: Keys,
  consumers: ConsumerFinder,
  verifier: KeyVerifier,
  buckets: BucketDirectory,
  reveals: KeyReveals,
) {
  /** Tags are not remembered with a key, so its consumer is read. */
  async function checkTags(reads: Reads, place: BucketPlace, tags: TagFilter, { text, identity }: Verdict) {
    if (!identity) return { text };
    const { accountSeq, name: bucketName } = place;
    await consumers.find(reads, { accountSeq, bucketName, consumerName: identity.user.sub, tags });
    return { text };
  }

  return [
    list({
      operationId: "listKeys",
      path: keysPath,
      area,
      summary: "List the keys of a consumer",
      access: "read",
      query: formatQuery,
      takesTags: true,
      item: apiKey,
      listName: "ApiKeyList",
      problems: ["keys_not_retrievable", "key_value_lost"],
      examples: { response: { data: [example], limit: 1000, offset: 0, total: 1 } },
      handle: async (input) => {
        const { reads, query, caller, account, params, act } = input;
        const format = query["key-format"];
        const bucket = await buckets.find(account.seq, params.bucketName);
        allowKeyFormat(format, caller.role, bucket);
        // A bucket that does not exist yet is empty; a consumer that does not exist is missing.
        if (!bucket) return { data: [], total: 0 };
        const { consumer } = await consumers.find(reads, addressOf(input));
        const page = await keys.list(reads, consumer, query, format);
        await reveals.record(act, format, namedConsumer(consumer), page.data);
        return page;
      },
    }),
    write({
      operationId: "createKey",
      method: "POST",
      path: keysPath,
      area,
      summary: "Create a key",
      description: "The response holds its value.",
      access: "edit",
      takesTags: true,
      body: keyInput.prefault({}),
      response: apiKey,
      problems: ["key_exists"],
      examples: {
        request: {
          description: "production",
          permissions: ["orders:*", "invoices:read"],
          allowedIps: ["192.0.2.0/24", "2001:db8::/32"],
          rateLimit: { requests: 600, windowSeconds: 60 },
          metadata: { environment: "production" },
        },
        response: createdExample,
      },
      handle: async (input, transaction) => {
        const { act, body } = input;
        const { bucket, consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const [created] = await keys.create(transaction, act, bucket, consumer, [body], () => "");
        return { body: created!, revision: { id: created!.id, version: 1 } };
      },
    }),
    write({
      operationId: "createKeys",
      method: "POST",
      path: `${keysPath}/$bulk`,
      area,
      summary: "Create up to 1,000 keys, all or none",
      description:
        "A lone object counts as a list of one. The response holds their values, in the order of the request.",
      access: "edit",
      takesTags: true,
      body: bulkKeyInput,
      largeBody: true,
      response: listOf(apiKey, "ApiKeyList"),
      problems: ["key_exists"],
      examples: {
        request: [{ description: "production" }],
        response: { data: [createdExample], limit: 1000, offset: 0, total: 1 },
      },
      handle: async (input, transaction) => {
        const { act, body } = input;
        const { bucket, consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const data = await keys.create(transaction, act, bucket, consumer, body, (index) => `/${index}`);
        return { body: { data, limit: 1000, offset: 0, total: data.length } };
      },
    }),
    read({
      operationId: "getKey",
      path: keyPath,
      area,
      summary: "Read a key",
      access: "read",
      query: formatQuery,
      takesTags: true,
      response: apiKey,
      problems: ["keys_not_retrievable", "key_value_lost"],
      examples: { response: example },
      handle: async (input) => {
        const { reads, query, caller, params, act } = input;
        const format = query["key-format"];
        allowKeyFormat(format, caller.role, undefined);
        const { bucket, consumer } = await consumers.find(reads, addressOf(input));
        const key = await keys.find(reads, consumer, params.keyId);
        allowKeyFormat(format, caller.role, bucket);
        const body = keys.present(key, format);
        const resource = { type: "key", id: key.id, parent: namedConsumer(consumer) };
        await reveals.record(act, format, resource, [body]);
        return { body, revision: key };
      },
    }),
    write({
      operationId: "updateKey",
      method: "PATCH",
      path: keyPath,
      area,
      summary: "Change a key",
      description: "A new value takes the place of the old one at once. `null` clears an optional field.",
      access: "edit",
      takesTags: true,
      body: keyPatch,
      response: apiKey,
      problems: ["key_exists"],
      examples: { request: { expiresOn: "2027-01-31T10:00:00Z" }, response: example },
      handle: async (input, transaction) => {
        const { act, body, params, precondition } = input;
        const { bucket, consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const updated = await keys.update(transaction, act, bucket, consumer, params.keyId, body, precondition);
        return { body: keys.present(updated, "masked"), revision: updated };
      },
    }),
    write({
      operationId: "deleteKey",
      method: "DELETE",
      path: keyPath,
      area,
      summary: "Delete a key",
      access: "edit",
      takesTags: true,
      handle: async (input, transaction) => {
        const { act, params, precondition } = input;
        const { bucket, consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        await keys.delete(transaction, act, bucket, consumer, params.keyId, precondition);
        return {};
      },
    }),
    write({
      operationId: "rollKey",
      method: "POST",
      path: `${consumerPath}/roll-key`,
      area,
      summary: "Roll a consumer's keys",
      description:
        "Keys without an expiry get the given one, and a new key without expiry is made; `Location` leads to it. " +
        "A past time revokes the old ones at once. The new key has `permissions`, `allowedIps`, `rateLimit` and `metadata` of the newest enabled one of them.",
      access: "edit",
      takesTags: true,
      body: rollInput,
      examples: { request: { expiresOn: "2026-03-01T00:00:00Z" } },
      handle: async (input, transaction) => {
        const { act, body, params } = input;
        const { bucket, consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const id = await keys.roll(transaction, act, bucket, consumer, body.expiresOn);
        const location = `${keysPath}/${id}`.replace(/\{(\w+)\}/g, (_, name) => params[name as keyof typeof params]);
        return { headers: { location } };
      },
    }),
    read({
      operationId: "verifyKey",
      method: "POST",
      path: "/v1/accounts/{accountName}/key-buckets/{bucketName}/verify-key",
      area,
      summary: "Verify a key",
      description:
        "Returns whether a key is valid, and whose it is. It changes nothing, so an Idempotency-Key is not looked at: the response is always current. " +
        "A tag condition that the consumer of a good key does not meet is a 404. A key with a rate limit is counted.",
      access: "verify",
      takesTags: true,
      body: verifyInput,
      parse: parseVerifyInput,
      response: verification,
      examples: {
        request: {
          key: "tg_0123456789abcdef0123456789abcdef_7759b50e",
          ip: "192.0.2.7",
          permission: "orders:read",
        },
        response: {
          valid: true,
          keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
          consumer: { id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu", name: "acme" },
          user: { sub: "acme", data: { seats: 12 } },
          expiresOn: null,
          permissions: ["orders:*", "invoices:read"],
        },
      },
      handle: ({ act, params, tags, body, reads }) => {
        const place = buckets.place(act.account.seq, params.bucketName);
        const verdict = verifier.verify(place, body.key, act.now, body);
        const render = (found: Verdict) =>
          tags.length > 0 ? checkTags(reads, place, tags, found) : { text: found.text };
        return verdict instanceof Promise ? verdict.then(render) : render(verdict);
      },
    }),
  ];
}
