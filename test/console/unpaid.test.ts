import { beforeAll, describe, expect } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, rated, setProfile, use } from "../support/billing.ts";
import { accessibilityProblems } from "../support/console.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { subscribe } from "../support/metering.ts";

const steps = useConsole();
const { see, press, rows } = steps;

const start = "2031-01-01T00:00:00.000Z";
/** More than a page of 50. */
const customerCount = 52;
let bucket: string;
let bucketId: string;

const setProvider = (type: string) =>
  ok(steps.console.server.client.raw("PUT", "/v1/accounts/default/payment-provider/test", JSON.stringify({ type })));

beforeAll(async () => {
  const { client } = steps.console.server;
  await setProfile(client);
  const scene = await billed(client, start, monthly("10.00"), { customerKey: "customer 0" });
  bucket = scene.bucket;
  bucketId = bucket.split("/").at(-1)!;
  for (let number = 1; number < customerCount; number += 1) {
    const customerKey = `customer ${number}`;
    await subscribe(client, bucket, [scene.plan], { customerKey, subscriptionExternalId: customerKey });
  }
  const [first, second] = await invoicesOf(client, bucket);
  await ok(client.post(`${bucket}/invoices/${first.id}/$mark-uncollectible`));
  await ok(
    client.post(`${bucket}/invoices/${second.id}/$credit`, { lines: [{ description: "Late", amount: "4.00" }] }),
  );
}, patienceMs);

describe("unpaid invoices", () => {
  check("are listed by page, and what is open and given up is added up separately", async () => {
    await steps.console.visit(`/billing?bucket=${bucketId}&tab=unpaid`);
    await see("€506.00 are open. €10.00 were given up.");
    await eventually(async () => (await rows("Unpaid invoices")).length).toBe(50);
    await see("1–50 of 52");
    expect((await rows("Unpaid invoices"))[0]).toContain("customer 1");
    await press("Next");
    await eventually(() => rows("Unpaid invoices")).toEqual([
      expect.stringContaining("customer 51"),
      expect.stringMatching(/customer 0.*Given up/s),
    ]);
  });

  check("without a payment method are marked, unless the provider has none", async () => {
    await see(/The customer has no payment method/);
    await setProvider("manual");
    await steps.console.visit(`/billing?bucket=${bucketId}&tab=unpaid`);
    await eventually(async () => (await rows("Unpaid invoices")).length).toBe(50);
    await steps.console.page.waitForLoadState("networkidle");
    expect(await rows("Unpaid invoices")).not.toContainEqual(expect.stringContaining("no payment method"));
    await setProvider("sandbox");
  });

  check("of the customers that are shown are added up", async () => {
    await steps.console.visit(`/billing?bucket=${bucketId}&tab=customers`);
    await eventually(async () => (await rows("Customers")).slice(0, 3)).toEqual([
      expect.stringMatching(/customer 0.*No payment method.*€10.00 given up/s),
      expect.stringMatching(/customer 1.*€6.00/s),
      expect.stringMatching(/customer 2.*€10.00/s),
    ]);
  });

  check("the request of a customer escapes its key", async () => {
    await steps.console.visit(`/billing/customers/${bucketId}/customer%200`);
    await press("As command");
    await see(/\/customers\/customer%200/);
  });
});

check("the lines of an invoice add up to what is due", async () => {
  const { client } = steps.console.server;
  const scene = await billed(client, start, rated("0.10", { amount: "30.00" }));
  await ok(client.patch(`${scene.bucket}/customers/acme`, { spendCap: { amount: "5.00", action: "block" } }));
  await ok(client.post(`${scene.bucket}/customers/acme/grants`, { currency: "EUR", amount: "7.00", funding: "paid" }));
  await use(client, scene.bucket, 230);
  await moveTo(client, scene.bucket, "2031-02-01T01:00:00.000Z");
  const [, invoice] = await invoicesOf(client, scene.bucket);
  await steps.console.visit(`/billing?bucket=${scene.bucket.split("/").at(-1)}&invoice=${invoice.id}`);
  await eventually(() => rows("Lines")).toEqual([
    expect.stringMatching(/€30.00/),
    expect.stringMatching(/€13.00/),
    expect.stringMatching(/Beyond the spending cap, not billed.*-€8.00/s),
  ]);
  const sums = steps.console.page.getByRole("table", { name: "Lines" }).locator("tfoot tr");
  await eventually(() => sums.allInnerTexts()).toEqual(["Total\t€35.00", "Paid from credits\t-€7.00", "Due\t€28.00"]);
  expect(await accessibilityProblems(steps.console.page)).toEqual([]);
});

checkPages(steps, () => [`/billing?bucket=${bucketId}&tab=unpaid`, `/billing?bucket=${bucketId}&tab=customers`]);
