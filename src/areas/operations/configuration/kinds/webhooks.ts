import { presentWebhook } from "../../webhooks/present.ts";
import type { WebhookInput, Webhooks } from "../../webhooks/webhooks.ts";
import type { Existing, Kind } from "../kind.ts";
import { webhookEntry } from "../schema.ts";
import { allPages, fieldsOf, patchOf, withoutDefaults } from "./entries.ts";

const defaults = { isEnabled: true };

export function webhookKind(webhooks: Webhooks): Kind {
  return {
    name: "webhooks",
    operations: { create: "createWebhook", update: "updateWebhook", delete: "deleteWebhook" },
    unordered: ["events"],
    async existing(reads, account) {
      const rows = await allPages((paging) => webhooks.list(reads, account.seq, paging));
      return rows.flatMap((row): Existing[] => {
        const { id, name, version } = row;
        return name === null ? [] : [{ id, name, version, entry: fieldsOf(webhookEntry, presentWebhook(row)) }];
      });
    },
    async unnamed(reads, account) {
      const rows = await allPages((paging) => webhooks.list(reads, account.seq, paging));
      return rows.filter(({ name }) => name === null).length;
    },
    desired: (name, entry) => ({ ...name, input: { ...defaults, ...entry } }),
    dumped: ({ entry }) => withoutDefaults(entry, defaults),
    async create(transaction, act, { name, input }) {
      const { webhook } = await webhooks.create(transaction, act, { ...(input as unknown as WebhookInput), name });
      return webhook.id;
    },
    async update(transaction, act, { id }, { before, input }, precondition) {
      await webhooks.update(transaction, act, id, patchOf(before, input), precondition);
    },
    delete: (transaction, act, { id }, precondition) => webhooks.delete(transaction, act, id, precondition),
    async remarks(_reads, _act, { action, after }) {
      if (action !== "create") return {};
      return { notes: [`Its secret is generated. To see one: tollgate webhooks rotate-secret ${after!.name}`] };
    },
  };
}
