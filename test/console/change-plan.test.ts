import { beforeAll, expect } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, perUnit, setProfile } from "../support/billing.ts";
import { accessibilityProblems } from "../support/console.ts";
import { check, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, record, subscribe, usageEvent } from "../support/metering.ts";

const steps = useConsole();
const { see, press, type } = steps;

let bucket: string;
const panels: Record<string, string> = {};

beforeAll(async () => {
  const { client } = steps.console.server;
  await setProfile(client);
  const scale = { label: "Scale", ...monthly("90.00"), meters: { requests: { label: "Requests", max: 1000 } } };
  const created = await billed(client, "2031-01-01T00:00:00.000Z", scale);
  bucket = created.bucket;
  const meters = { requests: { label: "Requests", max: 100 } };
  const free = await createPlan(client, bucket, { label: "Free", planExternalId: "price_free", meters });
  await createPlan(client, bucket, {
    label: "Pro",
    planExternalId: "price_pro",
    ...monthly("9.00"),
    meters,
    rates: { requests: perUnit("0.10") },
  });
  await createPlan(client, bucket, {
    label: "Basic",
    planExternalId: "price_basic",
    ...monthly("5.00"),
    meters: { requests: { label: "Requests", max: 10 } },
  });
  const globex = await subscribe(client, bucket, [free], { customerKey: "globex", subscriptionExternalId: "globex" });
  const initech = await subscribe(client, bucket, [free], {
    customerKey: "initech",
    subscriptionExternalId: "initech",
  });
  for (const [name, { id }] of Object.entries({ acme: created.subscription, globex, initech }))
    panels[name] = `/subscriptions?bucket=${bucket.split("/").at(-1)}&subscription=${id}`;
  const pays = JSON.stringify({ type: "sandbox", behavior: "succeeds" });
  for (const key of ["acme", "globex"]) await ok(client.raw("PUT", `${bucket}/customers/${key}/payment-method`, pays));
  const [first] = await invoicesOf(client, bucket);
  await ok(client.post(`${bucket}/invoices/${first.id}/$collect`));
  await record(client, bucket, usageEvent({ requests: 150 }));
  await moveTo(client, bucket, "2031-01-16T12:00:00.000Z");
}, patienceMs);

const dialog = () => steps.console.page.getByRole("dialog").last();
const submit = (name: string) => dialog().getByRole("button", { name, exact: true });
const invoicesFor = (key: string) => invoicesOf(steps.console.server.client, bucket, `?customerKey=${key}`);

async function choose(customer: string, plan: string): Promise<void> {
  await steps.console.show(panels[customer]!);
  await press("Change plan");
  await dialog().getByLabel("Plan", { exact: true }).selectOption(plan);
}

check("an upgrade says what is charged, and how, before it is made", async () => {
  await choose("globex", "price_pro");
  await see("Free, no fee");
  await see("Pro, €9.00 per month");
  await see("100 Requests per month, then €0.10 each");
  await see("The payment method is charged: Sandbox: payments succeed.");
  await submit("Change and charge €4.50").waitFor();
  expect(await accessibilityProblems(steps.console.page)).toEqual([]);
  expect(await invoicesFor("globex")).toEqual([]);
  await submit("Change and charge €4.50").click();
  await see("Plan changed");
  await eventually(async () => (await invoicesFor("globex")).map(({ total }) => total)).toEqual(["4.50"]);
});

check("without a payment method, it says that an invoice is sent", async () => {
  await choose("initech", "price_pro");
  await see("There is no payment method: the customer gets an invoice to pay.");
  await submit("Cancel").click();
  expect(await invoicesFor("initech")).toEqual([]);
});

check("a cheaper plan waits for the end of the period, unless it is to be now, and says what is credited", async () => {
  await choose("acme", "price_pro");
  await see("Until Feb 1, 2031 nothing changes, and nothing is charged for the change.");
  await submit("Change on Feb 1, 2031").waitFor();
  await dialog().getByText("Now", { exact: true }).click();
  await see(/€40.50 of the fee before are credited with a credit note/);
  // 150 of 100 are used: the plan bills them, and nothing is rejected.
  await see("50% of it, as time is left");
  await eventually(() => steps.rows("Effect of the change")).toEqual(["Requests\t150\t1,000\t100\t100"]);
  await eventually(() => steps.console.page.getByText(/Nothing is left of Requests/).count()).toBe(0);
  await dialog().getByLabel("Plan", { exact: true }).selectOption("price_basic");
  await see(/Nothing is left of Requests after the change/);
  expect(await invoicesFor("acme")).toHaveLength(1);
});

check("a share of the limits is saved with the change, and the money is the same", async () => {
  await choose("initech", "price_pro");
  await dialog().getByText("A share…").click();
  await type("Share of the new limit", "0.5");
  await submit("Change and charge €4.50").click();
  await see("Plan changed");
  await see("0 of 50");
  await eventually(async () => (await invoicesFor("initech")).map(({ total }) => total)).toEqual(["4.50"]);
});

check("a change that is scheduled is shown, replaced and undone", async () => {
  await choose("acme", "price_pro");
  await submit("Change on Feb 1, 2031").click();
  await see("The plan changes on Feb 1, 2031");
  await press("Change plan");
  await see(/It changes to price_pro on Feb 1, 2031/);
  await submit("Keep this plan").click();
  await see("Plan changed");
  await press("Change plan");
  await eventually(() => steps.console.page.getByText(/It changes to price_pro/).count()).toBe(0);
});
