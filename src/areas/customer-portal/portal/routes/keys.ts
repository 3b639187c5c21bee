import { read, remove, write } from "../../../../api/endpoint.ts";
import type { Keys } from "../../../api-keys/keys/keys.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import { createKey, deleteCustomerKey, maxListed, rollCustomerKey } from "../customer/customer-keys.ts";
import {
  createdKeyExample,
  portalKey,
  portalKeyInput,
  portalKeyPatch,
  portalKeys,
  portalRollInput,
} from "../customer/schema.ts";

const keysPath = "/portal/api/keys";
const keyPath = `${keysPath}/{keyId}` as const;

export interface CustomerKeyServices extends CustomerServices {
  keys: Keys;
}

/** A customer's own keys. Values are shown once, when a key is created; else masked. */
export function portalKeyRoutes({ keys, ...services }: CustomerKeyServices) {
  const customers = customerEntrance(services);
  return [
    read({
      operationId: "listPortalKeys",
      path: keysPath,
      summary: "List the customer's keys",
      access: "customer",
      response: portalKeys,
      handle: async (input) => {
        const { consumer, settings } = await customers.find(input.reads, input, "keys:read");
        const { keyLimit } = settings;
        const listed = await keys.list(input.reads, consumer, { limit: maxListed, offset: 0 }, "masked");
        const count = await keys.countUnexpired(input.reads, consumer, input.act.now);
        const data = listed.keys.map((key, index) => ({ ...listed.present(key, index), key: masked(key) }));
        return { body: { data, keyLimit, isLimitReached: count >= keyLimit } };
      },
    }),
    write({
      operationId: "createPortalKey",
      method: "POST",
      path: keysPath,
      summary: "Create a key",
      description:
        "The response has its value, which is not shown again. It has the rules of the newest valid key, else of the newest key, also of a deleted one.",
      access: "customer",
      body: portalKeyInput.prefault({}),
      response: portalKey,
      problems: ["key_limit_reached"],
      examples: { request: { description: "production" }, response: createdKeyExample },
      handle: async (input, transaction) => {
        const holder = await customers.lock(transaction, input, "keys:write");
        const created = await createKey(transaction, input.act, keys, holder, input.body);
        return { body: { ...created, key: created.key! } };
      },
    }),
    write({
      operationId: "updatePortalKey",
      method: "PATCH",
      path: keyPath,
      summary: "Name a key, or disable or enable it",
      access: "customer",
      body: portalKeyPatch,
      response: portalKey,
      handle: async (input, transaction) => {
        const { bucket, consumer } = await customers.lock(transaction, input, "keys:write");
        const { act, params, body, precondition } = input;
        const updated = await keys.update(transaction, act, bucket, consumer, params.keyId, body, precondition);
        return { body: { ...keys.present(updated, "masked"), key: masked(updated) }, revision: updated };
      },
    }),
    write({
      operationId: "rollPortalKey",
      method: "POST",
      path: `${keyPath}/$roll`,
      summary: "Replace a key",
      description: "Creates a key with the name and rules of this one, which keeps working for `graceHours`.",
      access: "customer",
      body: portalRollInput,
      response: portalKey,
      problems: ["key_limit_reached", "key_not_rollable"],
      examples: { request: { graceHours: 24 }, response: createdKeyExample },
      handle: async (input, transaction) => {
        const holder = await customers.lock(transaction, input, "keys:write");
        const rolled = await rollCustomerKey(transaction, input.act, keys, holder, { ...input.params, ...input.body });
        return { body: { ...rolled, key: rolled.key! } };
      },
    }),
    remove({
      operationId: "deletePortalKey",
      path: keyPath,
      summary: "Delete a key",
      description: "Requests with it fail immediately.",
      access: "customer",
      handle: async (input, transaction) => {
        const holder = await customers.lock(transaction, input, "keys:write");
        await deleteCustomerKey(transaction, input.act, keys, holder, input.params.keyId, input.precondition);
      },
    }),
  ];
}

const masked = ({ suffix }: { suffix: string }): string => `****${suffix}`;
