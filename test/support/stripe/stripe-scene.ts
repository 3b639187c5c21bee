import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import { Stripe } from "stripe";
import { invoicesOf, monthly, ok, setProfile } from "../billing.ts";
import type { Engine } from "../engines.ts";
import { FakeClock } from "../fake-clock.ts";
import { createPlan, newMeteringBucket, subscribe } from "../metering.ts";
import { startServer, type TestServer } from "../server.ts";
import { account } from "../server-settings.ts";
import { methods } from "./book.ts";
import { useStripe } from "./stripe-server.ts";

export const liveProvider = `/v1/accounts/${account}/payment-provider/live`;
export const webhookSecret = "whsec_of_the_tests";
export const hour = 60 * 60 * 1000;

/** A server that collects with the local server of Stripe's API, for all tests of an engine. */
export function useStripeScene(engine: Engine, environment: () => Record<string, string> = () => ({})) {
  const clock = new FakeClock();
  const stripe = useStripe(clock);
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, { clock, environment: { TOLLGATE_STRIPE_URL: stripe.url, ...environment() } });
    await setProfile(server.client, { taxRates: [{ name: "VAT", percentage: "19", country: "DE" }] });
    const settings = { type: "stripe", secretKey: "sk_live_1", webhookSecret };
    await ok(server.client.raw("PUT", liveProvider, JSON.stringify(settings)));
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    stripe.fault = () => "none";
    stripe.beforeResponse = () => {};
    stripe.book.defaultMethod = methods.succeeds;
  });
  return {
    clock,
    stripe,
    get server() {
      return server;
    },
    get client() {
      return server.client;
    },

    /** A bucket with a subscription, whose first invoice is not collected yet. */
    async subscribed(amount = "30.00") {
      const { client } = server;
      const bucket = await newMeteringBucket(client);
      await subscribe(client, bucket, [await createPlan(client, bucket, monthly(amount))]);
      const [{ id, subscriptionId }] = await invoicesOf(client, bucket);
      const subscription = `${bucket}/subscriptions/${subscriptionId}`;
      return { bucket, id: id as string, path: `${bucket}/invoices/${id}`, subscription };
    },

    remoteOf(id: string): Stripe.Invoice {
      return [...stripe.book.invoices.values()].find(({ metadata }) => metadata?.tollgate_invoice === id)!;
    },

    /** The amounts that were charged for our invoice. */
    chargesOf(id: string): number[] {
      return stripe.book.charges.filter(({ ours }) => ours === id).map(({ amount }) => amount);
    },

    /** What is scheduled for later happens. */
    async later(milliseconds = 7 * hour): Promise<void> {
      clock.advance(milliseconds);
      await server.catchUp();
    },
  };
}

/** Stripe sends its latest event, and what it causes happens. */
export async function announce(scene: ReturnType<typeof useStripeScene>, mode?: "live" | "test"): Promise<void> {
  await sendEvent(scene, mode);
  await scene.server.catchUp();
}

/** Stripe sends its latest event. */
export async function sendEvent(
  { stripe, clock, server }: ReturnType<typeof useStripeScene>,
  mode: "live" | "test" = "live",
): Promise<void> {
  const body = JSON.stringify(stripe.book.events.at(-1));
  const timestamp = Math.floor(clock.now() / 1000);
  const signed = { payload: body, secret: webhookSecret, timestamp };
  const headers = { "stripe-signature": await Stripe.webhooks.generateTestHeaderStringAsync(signed) };
  const url = `${server.url}${liveProvider.replace("/live", `/${mode}`)}/events`;
  const response = await fetch(url, { method: "POST", headers, body });
  expect(response.status).toBe(200);
}
