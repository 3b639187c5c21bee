import { write } from "../../../api/endpoint.ts";
import { listOf } from "../../../api/schemas.ts";
import { addressOf } from "../../consumer-addresses/consumer-address.ts";
import { apiKey, bulkKeyInput, keyBatch, keyInput } from "../schema.ts";
import type { KeyServices } from "./shared.ts";
import { area, createdExample, keysPath } from "./shared.ts";

export function createRoutes({ keys, consumers }: KeyServices) {
  return [
    write({
      operationId: "createKey",
      method: "POST",
      path: keysPath,
      area,
      summary: "Create a key",
      description: "The response contains its value.",
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
        "A single object counts as a list of one. The response contains their values, in the order of the request.",
      access: "edit",
      takesTags: true,
      body: bulkKeyInput,
      batch: keyBatch,
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
  ];
}
