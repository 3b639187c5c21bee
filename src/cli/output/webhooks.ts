import type { Tollgate, WebhookDeliveryDetail, WebhookWithSecret } from "../../client/index.ts";
import { pause } from "../../lib/tasks/pause.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { milliseconds, printable, readable, shortTime, showResource } from "./show.ts";

export function showSecret(webhook: WebhookWithSecret, terminal: Terminal): void {
  showResource(terminal, webhook);
  terminal.note(terminal.noteStyle("yellow", "Store the secret now: it is not shown again."));
}

const pauseMs = 200;
/** An attempt takes at most 15 s and begins within one second. */
const patienceMs = 20_000;

/** Waits until the delivery has had the given number of attempts and returns it, also after a timeout. */
export async function finishedDelivery(
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

export function showDelivery({ attemptLog, request, ...delivery }: WebhookDeliveryDetail, terminal: Terminal): void {
  showResource(terminal, { ...delivery, url: request.url });
  terminal.print(`\n${printable(request.body)}`);
  for (const { number, startedOn, durationMs, status, error, response } of attemptLog) {
    const outcome = status === undefined ? terminal.style("red", error ?? "no response") : readable(status);
    terminal.print(`\nAttempt ${number}, ${shortTime(startedOn)}, ${milliseconds(durationMs)}: ${outcome}`);
    if (response) terminal.print(printable(response));
  }
}
