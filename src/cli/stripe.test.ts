import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { useStripe } from "../../test/support/stripe/stripe-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { PaymentComparison, PaymentProvider } from "../client/transport/schema.gen.ts";

const stripe = useStripe({ now: () => Date.now() });
const bench = useCli({
  // Its port is known once it has started.
  get TOLLGATE_STRIPE_URL() {
    return stripe.url;
  },
});
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("stripe");
});
afterAll(() => folder.remove());

test("Stripe is set with credentials from files, and is compared", async () => {
  const { cli, client } = bench;
  const [key, secret] = [join(folder.path, "key"), join(folder.path, "secret")];
  await writeFile(key, "sk_live_1\n");
  await writeFile(secret, "whsec_1\n");
  const missing = await cli.run(`billing set-provider --type stripe --secret-key-file ${key}-none`);
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining("cannot be read") });
  const files = `--secret-key-file ${key} --webhook-secret-file ${secret}`;
  const provider = await cli.json<PaymentProvider>(`billing set-provider --type stripe ${files}`);
  expect(provider).toMatchObject({ mode: "live", type: "stripe" });

  const address = { line1: "Hauptstr. 1", country: "DE" };
  await client.billing.setProfile({ legalName: "Weather GmbH", address, numberPrefix: "W-" });
  const { id } = await client.metering.create();
  const price = { currency: "EUR", amount: "30.00", interval: "month" } as const;
  await client.plans(id).create({ label: "Gold", planExternalId: "gold", meters: { requests: { max: 1 } }, price });
  await client
    .subscriptions(id)
    .purchase({ customerKey: "acme", planExternalIds: ["gold"], returnUrl: "https://a.example" });
  const compared = await cli.json<PaymentComparison>("billing compare");
  expect(compared).toMatchObject({ compared: 1, differences: [] });
  const portal = "customers payment-portal acme --return-url https://a.example";
  expect((await cli.json<{ url: string }>(portal)).url).toMatch(/^https?:/);
  expect((await cli.run("billing compare")).stdout).toContain("1 invoices since");
  // The purchase waits for a payment method, so Stripe has no invoice yet.
  expect(stripe.book.invoices.size).toBe(0);
});
