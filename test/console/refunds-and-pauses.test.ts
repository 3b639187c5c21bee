import { beforeAll, expect } from "bun:test";
import type { Locator } from "playwright-core";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { billed, invoicesOf, monthly, ok, setProfile } from "../support/billing.ts";
import { check, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";

// The search loads the guides, which the server reads when it starts.
beforeAll(() => buildWebIfOutdated(["docs"]), patienceMs);
const steps = useConsole();
const { see, press, pressInDialog, type } = steps;
let bucket: string;
let path: string;
let panel: string;

beforeAll(async () => {
  const { client } = steps.console.server;
  await setProfile(client);
  const { subscription, ...created } = await billed(client, "2031-01-01T00:00:00.000Z", monthly("30.00"));
  bucket = created.bucket;
  path = `${bucket}/subscriptions/${subscription.id}`;
  panel = `/subscriptions?bucket=${bucket.split("/").at(-1)}&subscription=${subscription.id}`;
}, patienceMs);

const subscriptionNow = () => ok(steps.console.server.client.get(path));

check("a paid invoice is refunded to the payment method, with 3 clicks from the search", async () => {
  const { client } = steps.console.server;
  const { page } = steps.console;
  const [paid] = await invoicesOf(client, bucket);
  await ok(client.post(`${bucket}/invoices/${paid.id}/$mark-paid`));
  await steps.console.visit("/plans");
  let clicks = 0;
  const click = (target: Locator) => {
    clicks += 1;
    return target.click();
  };
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search pages" }).fill(paid.number);
  await click(page.getByRole("option", { name: paid.number }).first());
  await click(page.getByRole("button", { name: "Refund" }).first());
  await see(/what the balance has paid goes back to the balance/);
  await eventually(() => steps.console.page.getByLabel("Amount in EUR").inputValue()).toBe("30.00");
  await type("Amount in EUR", "2,00");
  await type("Reason", "Outage");
  await click(page.getByRole("dialog").last().getByRole("button", { name: "Refund €2.00", exact: true }));
  expect(clicks).toBe(3);
  await see("Refunded with credit note TEST-INV-CN-000001");
  await see("Partly refunded");
  await eventually(async () => (await invoicesOf(client, bucket))[0]?.refunded).toBe("2.00");
  await eventually(() => steps.console.page.getByText("Refunded", { exact: true }).count()).toBe(1);
  const [, note] = await invoicesOf(client, bucket);
  await steps.console.visit(`/billing?invoice=${note.id}`);
  await see(/€2.00 returned to the payment method/);
  await steps.console.visit(`/billing?invoice=${paid.id}`);
  await press("Refund");
  await eventually(() => steps.console.page.getByLabel("Amount in EUR").inputValue()).toBe("28.00");
  await type("Reason", "The rest");
  await pressInDialog("Refund €28.00");
  await eventually(() => steps.console.page.getByText("Partly refunded").count()).toBe(0);
});

check("a subscription is paused and resumed after confirmations that say what happens", async () => {
  await steps.console.visit(panel);
  await press("Pause");
  await see(/the rest of the paid period is not refunded/);
  await pressInDialog("Pause subscription");
  await see("Subscription paused");
  await eventually(async () => (await subscriptionNow()).status).toBe("inactive");
  await press("Resume");
  await see(/otherwise the fee is charged for the rest of the current period/);
  await pressInDialog("Resume subscription");
  await see("Subscription resumed");
  await eventually(async () => (await subscriptionNow()).status).toBe("active");
  await ok(steps.console.server.client.post(`${path}/$cancel`));
  await steps.console.visit(panel);
  await press("Resume");
  await see(/It is not canceled at the end of the period/);
  await pressInDialog("Resume subscription");
  await eventually(async () => (await subscriptionNow()).cancelsOn).toBeUndefined();
});
