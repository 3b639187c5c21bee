import { DeliveryEngine } from "../../areas/operations/webhooks/deliveries/delivery-engine.ts";
import { WebhookSender } from "../../areas/operations/webhooks/deliveries/sender.ts";
import { FanOut } from "../../areas/operations/webhooks/events/fan-out.ts";
import { runTimedEvents } from "../../areas/operations/webhooks/events/timed-events.ts";
import { Webhooks } from "../../areas/operations/webhooks/webhooks.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Wakeable } from "../../lib/tasks/wakeable.ts";
import { Egress } from "../../platform/egress/egress.ts";
import type { Foundation } from "../foundation/foundation.ts";

/** The maximum delay of a message written, or an attempt queued, by another node. */
const lookSeconds = 1;
/** The maximum delay of an event that is triggered by time. */
const timedSeconds = 2;
const leaseSeconds = 5;

export interface WebhookService {
  webhooks: Webhooks;
  start(): Promise<void>;
  /** Creates the messages of all events until now, and attempts every due delivery. */
  catchUp(): Promise<void>;
}

export function openWebhooks(
  { config, clock, log, metrics, storage, lifecycle }: Foundation,
  keyring: Keyring,
): WebhookService {
  const webhooks = new Webhooks(keyring, config.egress);
  const sender = new WebhookSender(new Egress(config.egress));
  const engine = new DeliveryEngine({
    storage,
    clock,
    webhooks,
    sender,
    log,
    onAttempt: (hasSucceeded) => metrics.delivery("webhook", hasSucceeded),
  });
  const failed = (error: unknown) => log.warn("webhook messages could not be created; will retry", { error });
  const fanOut = new FanOut(storage, clock);
  const changes = new Wakeable(async (signal) => {
    if (await fanOut.run(signal)) engine.wake();
  }, failed);
  const timed = new Wakeable(async (signal) => {
    await runTimedEvents(storage, clock, signal);
    engine.wake();
  }, failed);
  return {
    webhooks,
    async start() {
      lifecycle.onClose("webhook deliveries", () => engine.stop());
      lifecycle.onClose("webhook messages", () => Promise.all([changes.stop(), timed.stop()]));
      await engine.start();
      storage.feed.subscribe(
        (published) => {
          if (published.some((change) => fanOut.isUrgent(change))) changes.wake();
        },
        () => changes.wake(),
      );
      lifecycle.every(lookSeconds, "webhook messages", async () => {
        changes.wake();
        engine.wake();
      });
      lifecycle.every(timedSeconds, "webhook timed events", async () => timed.wake());
      lifecycle.every(leaseSeconds, "webhook leases", () => engine.renewLeases());
      changes.wake();
      timed.wake();
    },
    async catchUp() {
      timed.wake();
      await timed.idle();
      changes.wake();
      await changes.idle();
      await engine.deliverDue();
    },
  };
}
