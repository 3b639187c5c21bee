import { list, read, write } from "../../../api/endpoint.ts";
import { presentWithState } from "../present.ts";
import { rotationInput, webhook, webhookInput, webhookPatch, webhookWithSecret } from "../schema.ts";
import type { Webhooks } from "../webhooks.ts";
import { area, webhookPath, webhooksPath } from "./shared.ts";

export function webhookManagementRoutes(webhooks: Webhooks) {
  return [
    list({
      operationId: "listWebhooks",
      path: webhooksPath,
      area,
      summary: "List webhooks",
      access: "read",
      item: webhook,
      listName: "WebhookList",
      handle: async ({ reads, account, query }) => {
        const { data, total } = await webhooks.list(reads, account.seq, query);
        return { data: data.map(presentWithState), total };
      },
    }),
    write({
      operationId: "createWebhook",
      method: "POST",
      path: webhooksPath,
      area,
      summary: "Create a webhook",
      description: "Only this response contains its secret.",
      access: "edit",
      body: webhookInput,
      response: webhookWithSecret,
      problems: ["webhook_exists", "too_many_webhooks"],
      examples: { request: { url: "https://acme.example/webhooks", events: ["key.*", "quota.threshold"] } },
      handle: async ({ act, body }, transaction) => {
        const created = await webhooks.create(transaction, act, body);
        return { body: { ...presentWithState(created.webhook), secret: created.secret }, revision: created.webhook };
      },
    }),
    read({
      operationId: "getWebhook",
      path: webhookPath,
      area,
      summary: "Read a webhook",
      access: "read",
      response: webhook,
      handle: async ({ reads, account, params }) => {
        const found = await webhooks.find(reads, account.seq, params.webhookId);
        return { body: presentWithState(found), revision: found };
      },
    }),
    write({
      operationId: "updateWebhook",
      method: "PATCH",
      path: webhookPath,
      area,
      summary: "Change a webhook",
      description: "A given field replaces the old value, `null` clears it, an absent field is not changed.",
      access: "edit",
      body: webhookPatch,
      response: webhook,
      problems: ["webhook_exists"],
      examples: { request: { events: ["*"] } },
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await webhooks.update(transaction, act, params.webhookId, body, precondition);
        return { body: presentWithState(updated), revision: updated };
      },
    }),
    write({
      operationId: "deleteWebhook",
      method: "DELETE",
      path: webhookPath,
      area,
      summary: "Delete a webhook",
      description: "Its deliveries are deleted too.",
      access: "edit",
      handle: async ({ act, params, precondition }, transaction) => {
        await webhooks.delete(transaction, act, params.webhookId, precondition);
        return {};
      },
    }),
    write({
      operationId: "rotateWebhookSecret",
      method: "POST",
      path: `${webhookPath}/rotate-secret`,
      area,
      summary: "Rotate the secret of a webhook",
      description: "Until the grace period ends, messages have a signature by each of the two secrets.",
      access: "edit",
      body: rotationInput,
      response: webhookWithSecret,
      examples: { request: { graceSeconds: 3600 } },
      handle: async ({ act, params, body }, transaction) => {
        const rotated = await webhooks.rotateSecret(transaction, act, params.webhookId, body.graceSeconds);
        return { body: { ...presentWithState(rotated.webhook), secret: rotated.secret }, revision: rotated.webhook };
      },
    }),
  ];
}
