import { areaOf } from "../../../../api/area.ts";
import { list, read } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { listOf } from "../../../../api/schemas.ts";
import { addressOf, consumerPath, namedConsumer } from "../../consumer-addresses/consumer-address.ts";
import { inConsumer } from "../../consumer-addresses/in-consumer.ts";
import { allowKeyFormat } from "../keys.ts";
import { apiKey, bulkKeyInput, keyBatch, keyInput, keyPatch, rollInput, rollOneInput } from "../schema.ts";
import { bulkRoutes } from "./bulk.ts";
import { createdExample, example, formatQuery, type KeyServices, keyPath, keysPath } from "./shared.ts";
import { verifyRoutes } from "./verify.ts";

export function keyArea(services: KeyServices) {
  const operations = [
    ...keyReadRoutes(services),
    ...createRoutes(services),
    ...keyChangeRoutes(services),
    ...verifyRoutes(services),
    ...bulkRoutes(services),
  ];
  return areaOf(
    {
      Keys: "API keys of a consumer. A change takes effect on the next request of the same node, and on every node within a second.",
    },
    operations,
  );
}

function keyChangeRoutes({ keys, consumers }: KeyServices) {
  const { remove, write } = inConsumer(consumers);
  return [
    write({
      operationId: "updateKey",
      method: "PATCH",
      path: keyPath,
      summary: "Change a key",
      description: "A new value replaces the old one immediately. `null` clears an optional field.",
      access: "edit",
      isMasked: true,
      body: keyPatch,
      response: apiKey,
      problems: ["key_exists"],
      examples: { request: { expiresOn: "2027-01-31T10:00:00Z" }, response: example },
      handle: async ({ act, bucket, consumer, params, body, precondition }, transaction) => {
        const updated = await keys.update(transaction, act, bucket, consumer, params.keyId, body, precondition);
        return { body: keys.present(updated, "masked"), revision: updated };
      },
    }),
    remove({
      operationId: "deleteKey",
      path: keyPath,
      summary: "Delete a key",
      access: "edit",
      handle: ({ act, bucket, consumer, params, precondition }, transaction) =>
        keys.delete(transaction, act, bucket, consumer, params.keyId, precondition),
    }),
    write({
      operationId: "rollKey",
      method: "POST",
      path: `${consumerPath}/roll-key`,
      summary: "Roll a consumer's keys",
      description:
        "Sets the expiry of all keys that have none, and creates a new key without one; its URL is in `Location`. " +
        "A past time revokes the old ones immediately. The new key has `permissions`, `allowedIps`, `rateLimit` and `metadata` of the newest enabled one of them.",
      access: "edit",
      body: rollInput,
      examples: { request: { expiresOn: "2026-03-01T00:00:00Z" } },
      handle: async ({ act, bucket, consumer, params, body }, transaction) => {
        const id = await keys.roll(transaction, act, bucket, consumer, body.expiresOn);
        const location = `${keysPath}/${id}`.replace(/\{(\w+)\}/g, (_, name) => params[name as keyof typeof params]);
        return { headers: { location } };
      },
    }),
    write({
      operationId: "rollOneKey",
      method: "POST",
      path: `${keyPath}/$roll`,
      summary: "Roll one key",
      description:
        "Creates a key without an expiry that has the description, `permissions`, `allowedIps`, `rateLimit` and `metadata` of this " +
        "one, and sets the expiry of this one. An earlier expiry is kept. The response has the new key with its value.",
      access: "edit",
      body: rollOneInput,
      response: apiKey,
      problems: ["key_not_rollable"],
      examples: { request: { expiresOn: "2026-03-01T00:00:00Z" }, response: createdExample },
      handle: async ({ act, bucket, consumer, params, body }, transaction) => {
        const created = await keys.rollOne(transaction, act, bucket, consumer, params.keyId, body.expiresOn);
        return { body: created, revision: { id: created.id, version: 1 } };
      },
    }),
  ];
}

function createRoutes({ keys, consumers }: KeyServices) {
  const { write } = inConsumer(consumers);
  return [
    write({
      operationId: "createKey",
      method: "POST",
      path: keysPath,
      summary: "Create a key",
      description: "The response contains its value.",
      access: "edit",
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
      handle: async ({ act, bucket, consumer, body }, transaction) => {
        const [created] = await keys.create(transaction, act, bucket, consumer, [body], () => "");
        return { body: created!, revision: { id: created!.id, version: 1 } };
      },
    }),
    write({
      operationId: "createKeys",
      method: "POST",
      path: `${keysPath}/$bulk`,
      summary: "Create up to 1,000 keys, all or none",
      description:
        "A single object counts as a list of one. The response contains their values, in the order of the request.",
      access: "edit",
      body: bulkKeyInput,
      batch: keyBatch,
      largeBody: true,
      response: listOf(apiKey, "ApiKeyList"),
      problems: ["key_exists"],
      examples: {
        request: [{ description: "production" }],
        response: { data: [createdExample], limit: 1000, offset: 0, total: 1 },
      },
      handle: async ({ act, bucket, consumer, body }, transaction) => {
        const data = await keys.create(transaction, act, bucket, consumer, body, (index) => `/${index}`);
        return { body: { data, limit: 1000, offset: 0, total: data.length } };
      },
    }),
  ];
}

function keyReadRoutes({ keys, consumers, buckets, reveals }: KeyServices) {
  return [
    list({
      operationId: "listKeys",
      path: keysPath,
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
        // A bucket that does not exist yet is empty. A consumer that does not exist is a 404.
        if (!bucket) return { data: [], total: 0 };
        const { consumer } = await consumers.find(reads, addressOf(input));
        const { keys: rows, present, total } = await keys.list(reads, consumer, query, format);
        await reveals.record(act, format, namedConsumer(consumer), rows.length);
        return presentPage({ data: rows, total }, present);
      },
    }),
    read({
      operationId: "getKey",
      path: keyPath,
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
        await reveals.record(act, format, resource, 1);
        return { body, revision: key };
      },
    }),
  ];
}
