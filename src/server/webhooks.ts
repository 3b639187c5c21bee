import { DeliveryEngine } from "../areas/webhooks/delivery-engine.ts";
import { WebhookSender } from "../areas/webhooks/sender.ts";
import { Webhooks } from "../areas/webhooks/webhooks.ts";
import type { Keyring } from "../lib/keyring.ts";
import { Egress } from "../platform/egress/egress.ts";
import type { Foundation } from "./foundation.ts";

/** How late an attempt may be that another node has queued, or that comes with time. */
const lookSeconds = 1;
const leaseSeconds = 5;

export interface WebhookService {
  webhooks: Webhooks;
  start(): Promise<void>;
}

export function openWebhooks({ config, clock, log, storage, lifecycle }: Foundation, keyring: Keyring): WebhookService {
  const egress = new Egress(config.egress);
  const webhooks = new Webhooks(keyring, config.egress);
  const engine = new DeliveryEngine({ storage, clock, webhooks, sender: new WebhookSender(egress), log });
  lifecycle.onClose("webhook deliveries", () => engine.stop());
  return {
    webhooks,
    async start() {
      await engine.start();
      lifecycle.every(lookSeconds, "webhook deliveries", async () => engine.wake());
      lifecycle.every(leaseSeconds, "webhook leases", () => engine.renewLeases());
      storage.feed.subscribe((changes) => {
        if (changes.some(({ kind }) => kind.startsWith("webhook."))) engine.wake();
      });
    },
  };
}
