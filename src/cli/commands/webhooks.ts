import type {
  DeliveryOptions,
  Tollgate,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookWithSecret,
} from "../../client/index.ts";
import { isWebhookSecret } from "../../lib/crypto/standard-webhooks.ts";
import { pause } from "../../lib/tasks/pause.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import { defineCommand } from "../arguments/command.ts";
import {
  argument,
  boolean,
  flag,
  integer,
  listOption,
  named,
  oneOf,
  option,
  optionalArgument,
  pastTime,
  port as portNumber,
  requiredOption,
} from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { listenForWebhooks } from "../local-development/webhook-listener.ts";
import { hintAtOlder, milliseconds, printable, readable, shortTime, showList, showResource } from "../output/show.ts";
import { onInterrupt } from "../process/interrupt.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

function showSecret(webhook: WebhookWithSecret, terminal: Terminal): void {
  showResource(terminal, webhook);
  terminal.note("Store the secret now: it is not shown again.", "yellow");
}

const pauseMs = 200;
/** An attempt takes at most 15 s and begins within one second. */
const patienceMs = 20_000;

/** Waits until the delivery has had the given number of attempts and returns it, also after a timeout. */
async function finishedDelivery(
  client: Tollgate,
  webhookId: string,
  id: string,
  attempts: number,
): Promise<WebhookDeliveryDetail> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const delivery = await client.webhooks.delivery(webhookId, id);
    if (delivery.attempts >= attempts || delivery.status !== "pending" || performance.now() > until) return delivery;
    await pause(pauseMs);
  }
}

function showDelivery({ attemptLog, request, ...delivery }: WebhookDeliveryDetail, terminal: Terminal): void {
  showResource(terminal, { ...delivery, url: request.url });
  terminal.print(`\n${printable(request.body)}`);
  for (const { number, startedOn, durationMs, status, error, response } of attemptLog) {
    const outcome = status === undefined ? terminal.style("red", error ?? "no response") : readable(status);
    terminal.print(`\nAttempt ${number}, ${shortTime(startedOn)}, ${milliseconds(durationMs)}: ${outcome}`);
    if (response) terminal.print(printable(response));
  }
}

const webhook = resource({
  one: "a webhook",
  id: { id: argument("the webhook's id or name") },
  sample: "hook_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client) => client.webhooks,
});

export const webhooks = group({
  name: "webhooks",
  summary: "Webhooks: URLs that receive events",
  commands: {
    list: webhook.list({
      summary: "List webhooks, without their secrets",
      columns: ["id", "name", "url", "events", "isEnabled", "failingSince", "disabledReason", "description"],
      examples: "With their events and state.",
    }),
    create: webhook.command({
      summary: "Create a webhook; its secret is shown only once",
      details:
        "Events are patterns: a type such as key.rolled, all of a resource such as key.*, or *, which is the default.",
      arguments: { url: argument("the http or https URL") },
      options: {
        name: option("its name, which may stand wherever the id does", named("NAME")),
        event: listOption("a pattern of events to send", named("PATTERN")),
        description: option("a description"),
        disabled: flag("create it disabled"),
      },
      examples: {
        "tollgate webhooks create https://acme.example/webhooks --event 'key.*' --event quota.threshold":
          "Changes of keys, and quota thresholds.",
      },
      call: (api, { url, name, event: events = ["*"], description, disabled }) =>
        api.create({ url, name, events, description, ...(disabled ? { isEnabled: false } : {}) }),
      show: showSecret,
    }),
    show: webhook.show({ summary: "Show a webhook, without its secret", examples: "With its URL, events and state." }),
    update: webhook.action({
      summary: "Change a webhook, disable it or enable it again",
      options: {
        name: option("its name, which may stand wherever the id does", named("NAME")),
        url: option("the http or https URL", named("URL")),
        event: listOption("a pattern of events to send; replaces all existing patterns", named("PATTERN")),
        description: option("a description"),
        enabled: option("whether it gets messages", boolean),
        ...clearOption("name", "description"),
      },
      examples: {
        "tollgate webhooks update hook_0QGzNqW81Kx8VhTb3mPcRdZu --enabled true": "Enables a disabled webhook.",
        "tollgate webhooks update hook_0QGzNqW81Kx8VhTb3mPcRdZu --event '*'": "It gets all events.",
      },
      call: (api, id, { name, url, event: events, description, enabled: isEnabled, clear }) =>
        api.update(id, changesOf({ name, url, events, description, isEnabled }, clear)),
    }),
    delete: webhook.delete({
      summary: "Delete a webhook with its deliveries",
      effect: "with its deliveries",
      examples: "No more messages are sent to it.",
    }),
    "rotate-secret": webhook.action({
      summary: "Rotate the secret of a webhook; the new one is shown only once",
      options: {
        graceSeconds: option(
          "how long messages are also signed with the old secret; a day by default, at most 604800",
          integer,
        ),
      },
      examples: {
        "tollgate webhooks rotate-secret hook_0QGzNqW81Kx8VhTb3mPcRdZu --grace-seconds 0":
          "For a leaked secret: it stops signing immediately.",
      },
      call: (api, id, { graceSeconds }) => api.rotateSecret(id, graceSeconds === undefined ? {} : { graceSeconds }),
      show: showSecret,
    }),
    test: webhook.action({
      summary: "Send a test message and show the result",
      details: "Exits with 1 if its first attempt fails.",
      examples: { "tollgate webhooks test hook_0QGzNqW81Kx8VhTb3mPcRdZu": "What the receiver returned." },
      async call(api, id, _values, { client }) {
        const delivery = await api.test(id);
        return finishedDelivery(client, id, delivery.id, 1);
      },
      show: showDelivery,
      exitCode: ({ status }) => (status === "succeeded" ? 0 : 1),
    }),
    deliveries: webhook.action({
      summary: "List the deliveries of a webhook, newest first, or show one with its attempts",
      arguments: { delivery: optionalArgument("a delivery's id") },
      options: {
        status: option("only those with this status", oneOf("pending", "succeeded", "failed")),
        type: option("only this type of event", named("TYPE")),
        limit: option("the maximum number; 100 by default, at most 1000", integer),
        before: option("only deliveries that are older than the one with this id", named("ID")),
      },
      examples: {
        "tollgate webhooks deliveries hook_0QGzNqW81Kx8VhTb3mPcRdZu --status failed": "The failed deliveries.",
        "tollgate webhooks deliveries hook_0QGzNqW81Kx8VhTb3mPcRdZu dlvr_0QGzNqW81Kx8VhTb3mPcRdZu":
          "The request and the response of each attempt.",
      },
      call: async (
        api,
        id,
        { delivery, status, type, limit, before },
      ): Promise<WebhookDeliveryDetail | { data: WebhookDelivery[] }> => {
        if (delivery !== undefined) return api.delivery(id, delivery);
        const filter = { status, type: type as DeliveryOptions["type"], limit, before };
        return { data: await api.deliveries(id, filter as DeliveryOptions) };
      },
      show(response, terminal, { limit = 100 }) {
        if (!("data" in response)) {
          showDelivery(response, terminal);
          return;
        }
        showList(terminal, response.data, [
          "id",
          "type",
          "status",
          "attempts",
          "createdOn",
          "nextAttemptOn",
          "messageId",
        ]);
        hintAtOlder(terminal, response.data, limit);
        if (response.data.length === 0) terminal.note("There are no deliveries.");
      },
    }),
    retry: webhook.action({
      summary: "Retry a delivery now and show the result",
      details: "Exits with 1 if the attempt fails; the schedule of retries then restarts.",
      arguments: { delivery: argument("the delivery's id") },
      examples: {
        "tollgate webhooks retry hook_0QGzNqW81Kx8VhTb3mPcRdZu dlvr_0QGzNqW81Kx8VhTb3mPcRdZu":
          "The same message with the same webhook-id.",
      },
      async call(api, id, { delivery }, { client }) {
        const { attempts } = await api.retry(id, delivery);
        return finishedDelivery(client, id, delivery, attempts + 1);
      },
      show: showDelivery,
      exitCode: ({ status }) => (status === "succeeded" ? 0 : 1),
    }),
    replay: webhook.action({
      summary: "Send the messages of a time range again",
      details: "Also those that a webhook missed while it was disabled. Messages are kept for 32 days.",
      options: {
        from: requiredOption("the start of the range, such as -2h", pastTime),
        to: requiredOption("the end of the range, such as now", pastTime),
        newIds: flag("send them with new webhook-ids, so that receivers do not skip them"),
      },
      examples: {
        "tollgate webhooks replay hook_0QGzNqW81Kx8VhTb3mPcRdZu --from -2h --to now":
          "All messages of the last two hours.",
      },
      call: (api, id, { from, to, newIds }) => api.replay(id, { from, to, newIds }),
      show: ({ deliveries }, terminal) =>
        terminal.print(
          `${deliveries.toLocaleString("en")} ${deliveries === 1 ? "delivery is" : "deliveries are"} queued.`,
        ),
    }),
    listen: defineCommand({
      summary: "Receive webhooks on this machine: print them, verify them, forward them",
      details:
        "Listens on loopback until Ctrl-C. With --secret, messages without a valid signature get 401. With " +
        "--forward, the status of the other server is returned.",
      options: {
        port: option("the port; 8799 by default, 0 for any free one", portNumber),
        forward: option("a URL to which verified messages are forwarded unchanged", named("URL")),
        secret: option("the webhook's secret, whsec_…; by default TOLLGATE_WEBHOOK_SECRET", named("SECRET")),
        json: flag("print one JSON object per line"),
      },
      examples: {
        "tollgate webhooks listen": "Prints messages to http://127.0.0.1:8799.",
        "tollgate webhooks listen --secret whsec_… --forward http://127.0.0.1:3000/webhooks":
          "Forwards only messages with a valid signature.",
      },
      async run({ port = 8799, forward, secret: given, json }, { terminal, environment }) {
        if (forward !== undefined && !/^https?:$/.test(URL.parse(forward)?.protocol ?? ""))
          throw new UsageError("--forward must be an address that begins with http:// or https://.");
        const secret = given ?? environment.TOLLGATE_WEBHOOK_SECRET;
        // With a wrong secret every message would be shown as forged.
        if (secret !== undefined && !isWebhookSecret(secret))
          throw new UsageError(
            `${given === undefined ? "TOLLGATE_WEBHOOK_SECRET" : "--secret"} is not a webhook secret (whsec_…, shown when the webhook was created).`,
          );
        const signal = onInterrupt();
        await listenForWebhooks({ port, forward, secret, json, terminal, signal });
      },
    }),
  },
});
