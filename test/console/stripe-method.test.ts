import { beforeAll, expect } from "bun:test";
import { monthly, ok, setProfile } from "../support/billing.ts";
import { accessibilityProblems } from "../support/console.ts";
import { check, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, newMeteringBucket, subscribe } from "../support/metering.ts";
import { methods } from "../support/stripe/book.ts";
import { liveProvider, webhookSecret } from "../support/stripe/stripe-scene.ts";
import { useStripe } from "../support/stripe/stripe-server.ts";

const stripe = useStripe();
const steps = useConsole({
  environment: {
    // Its port is known once it has started.
    get TOLLGATE_STRIPE_URL() {
      return stripe.url;
    },
  },
});
const { see, press, pressInDialog } = steps;

let bucketId: string;

beforeAll(async () => {
  const { client } = steps.console.server;
  await setProfile(client);
  await ok(client.raw("PUT", liveProvider, JSON.stringify({ type: "stripe", secretKey: "sk_live_1", webhookSecret })));
  const bucket = await newMeteringBucket(client);
  bucketId = bucket.split("/").at(-1)!;
  stripe.book.defaultMethod = methods.succeeds;
  await subscribe(client, bucket, [await createPlan(client, bucket, monthly("30.00"))]);
}, patienceMs);

check("with Stripe, the customer's page there is linked, and no sandbox method is offered", async () => {
  const { page } = steps.console;
  await steps.console.show(`/customers/${bucketId}/acme`);
  await press("Payment method");
  await see(/Managed at Stripe: no payment method\./);
  await eventually(() => page.getByRole("combobox", { name: "Payment method" }).count()).toBe(0);
  await pressInDialog("Get link");
  const link = page.getByRole("link", { name: "Open the customer’s page at Stripe" });
  await link.waitFor();
  await eventually(() => link.getAttribute("href")).toMatch(/^https:\/\/billing\.stripe\.example\/p\//);
  expect(await accessibilityProblems(page)).toEqual([]);
  await pressInDialog("Copy as…");
  await page.getByRole("menuitem", { name: "Copy as command" }).waitFor();
  await page.keyboard.press("Escape");
});
