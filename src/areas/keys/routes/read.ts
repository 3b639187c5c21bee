import { list, read } from "../../../api/endpoint.ts";
import { Presented } from "../../../api/presented.ts";
import { addressOf, namedConsumer } from "../../consumer-addresses/consumer-address.ts";
import { allowKeyFormat } from "../keys.ts";
import { apiKey } from "../schema.ts";
import type { KeyServices } from "./shared.ts";
import { area, example, formatQuery, keyPath, keysPath } from "./shared.ts";

export function keyReadRoutes({ keys, consumers, buckets, reveals }: KeyServices) {
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
        // A bucket that does not exist yet is empty. A consumer that does not exist is a 404.
        if (!bucket) return { data: [], total: 0 };
        const { consumer } = await consumers.find(reads, addressOf(input));
        const { keys: rows, present, total } = await keys.list(reads, consumer, query, format);
        await reveals.record(act, format, namedConsumer(consumer), rows.length);
        return { data: Presented.from(rows, present), total };
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
        await reveals.record(act, format, resource, 1);
        return { body, revision: key };
      },
    }),
  ];
}
