import { write } from "../../../api/endpoint.ts";
import { addressOf, consumerPath } from "../../consumer-addresses/consumer-address.ts";
import { apiKey, keyPatch, rollInput, rollOneInput } from "../schema.ts";
import type { KeyServices } from "./shared.ts";
import { area, createdExample, example, keyPath, keysPath } from "./shared.ts";

export function keyChangeRoutes({ keys, consumers }: KeyServices) {
  return [
    write({
      operationId: "updateKey",
      method: "PATCH",
      path: keyPath,
      area,
      summary: "Change a key",
      description: "A new value replaces the old one immediately. `null` clears an optional field.",
      access: "edit",
      isMasked: true,
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
        "Sets the expiry of all keys that have none, and creates a new key without one; its URL is in `Location`. " +
        "A past time revokes the old ones immediately. The new key has `permissions`, `allowedIps`, `rateLimit` and `metadata` of the newest enabled one of them.",
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
    write({
      operationId: "rollOneKey",
      method: "POST",
      path: `${keyPath}/$roll`,
      area,
      summary: "Roll one key",
      description:
        "Creates a key without an expiry that has the description, `permissions`, `allowedIps`, `rateLimit` and `metadata` of this " +
        "one, and sets the expiry of this one. An earlier expiry is kept. The response has the new key with its value.",
      access: "edit",
      takesTags: true,
      body: rollOneInput,
      response: apiKey,
      problems: ["key_not_rollable"],
      examples: { request: { expiresOn: "2026-03-01T00:00:00Z" }, response: createdExample },
      handle: async (input, transaction) => {
        const { act, body, params } = input;
        const { bucket, consumer } = await consumers.findForUpdate(transaction, addressOf(input));
        const created = await keys.rollOne(transaction, act, bucket, consumer, params.keyId, body.expiresOn);
        return { body: created, revision: { id: created.id, version: 1 } };
      },
    }),
  ];
}
