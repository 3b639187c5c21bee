import { afterAll, beforeAll, expect } from "bun:test";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { moveTo, newTestBucket, ok, rated, setProfile, use } from "../support/billing.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { accessibilityProblemsOfThemes, desktop, misfits, phone, settled } from "../support/console.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, subscribe } from "../support/metering.ts";
import { allScopes, portalPath, setPortal } from "../support/portal.ts";
import { portalCheck } from "../support/portal-check.ts";
import { useServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const patienceMs = patiently(120_000);
/** A folder for screenshots of each state. */
const pictures = process.env.TOLLGATE_TEST_PICTURES;

// A server reads the pages when it starts.
await buildWebIfOutdated(["portal"]);

// The pages do not depend on the engine.
const server = useServer(sqlite);
const { client } = server;
const start = "2031-01-01T00:00:00.000Z";
let opened: OpenPage;
let bucket: string;
let url: string;

const dialog = () => opened.page.getByRole("dialog").last();
const button = (name: string | RegExp) => opened.page.getByRole("button", { name });
const region = (name: string) => opened.page.getByRole("region", { name, exact: true });
const show = async () => {
  await opened.page.goto(`${url}/credit`);
  await opened.page.getByRole("heading", { name: "Credit", exact: true }).waitFor();
};

const check = portalCheck(() => ({ opened, origins: [url] }));

async function checkPage(name: string, { isAccessible = false } = {}): Promise<void> {
  const { page } = opened;
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size);
    await settled(page);
    expect(await misfits(page)).toEqual([]);
    if (!pictures) continue;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/${name}-${size.width}-${colorScheme}.png`, fullPage: true });
    }
    await page.emulateMedia({ colorScheme: "light" });
  }
  if (isAccessible) expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
}

/** Chooses a card at the page of the sandbox. */
async function payWith(card: string): Promise<void> {
  await opened.page.getByLabel(card).check();
  await button(/^(Pay|Save payment method)( |$)/).click();
}

beforeAll(async () => {
  bucket = await newTestBucket(client, start);
  await setProfile(client, { taxRates: [{ name: "VAT", percentage: "20" }], taxBehavior: "inclusive" });
  const plan = await createPlan(client, bucket, {
    ...rated("0.10", { max: 0 }),
    planExternalId: "flex",
    label: "Flex",
  });
  const pack = (packExternalId: string, label: string, grant: object, position: number) =>
    ok(
      client.post(`${bucket}/credit-packs`, {
        ...{ packExternalId, label, grant, position, isPublic: true },
        price: { currency: "EUR", amount: "12.00" },
      }),
    );
  await pack("money", "Top credit", { currency: "EUR", amount: "15.00" }, 2);
  await pack("units", "Starter pack", { meter: "requests", amount: 1000, expiresInDays: 365 }, 1);
  await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
  await subscribe(client, bucket, [plan], { customerKey: "acme" });
  url = (await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") })).url;
  opened = await signedIn(allScopes);
}, patienceMs);
afterAll(() => opened?.close());

async function signedIn(scopes: readonly string[]): Promise<OpenPage> {
  const { body } = await client.post(`${portalPath()}/sessions`, { consumerName: "acme", subject: "jo", scopes });
  const page = await openPage(body.url);
  await page.page.getByRole("button", { name: "Continue" }).click();
  await page.page.getByRole("navigation").getByRole("link", { name: "Credit", exact: true }).waitFor();
  page.errors.take();
  page.requestedUrls.splice(0);
  return page;
}

check("credit is offered in order with tax and expiry, and bought; a declined card is reported", async () => {
  const { page } = opened;
  await page.getByRole("navigation").getByRole("link", { name: "Credit", exact: true }).click();
  const cards = page.getByRole("list", { name: "Credit to buy" }).locator(".plan-card");
  await cards.first().waitFor();
  expect(await cards.locator("h3").allInnerTexts()).toEqual(["Starter pack", "Top credit"]);
  await cards.first().getByText("Expires 1 year after the payment").waitFor();
  await cards.first().getByText("€12.00 incl. tax").waitFor();
  await cards.last().getByText("Does not expire").waitFor();
  await region("History").getByText("Nothing yet.").waitFor();
  await checkPage("empty", { isAccessible: true });
  await button("Buy Starter pack").click();
  await dialog().getByText("it can be used until Jan 1, 2032").waitFor();
  await dialog().getByRole("row", { name: "Due now incl. VAT 20 % €2.00 €12.00" }).waitFor();
  await checkPage("buy");
  await dialog().getByRole("button", { name: "Continue to payment" }).click();
  await payWith("Card that is declined");
  await page.getByText("The card was declined.").waitFor();
  await page.getByRole("link", { name: "Back without paying" }).click();
  await page.getByText("The payment of €12.00 for Starter pack failed.").waitFor();
  await checkPage("failed");
  await button("Pay with another method").click();
  await payWith("Card that succeeds");
  await region("What is left").getByText("1,000 Requests", { exact: true }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/credit");
  expect(await page.getByText("failed").count()).toBe(0);
  // The payment method that is known now is charged at once.
  await button("Buy Top credit").click();
  await dialog().getByText("Test card (succeeds) is charged now.").waitFor();
  await dialog().getByRole("button", { name: "Pay €12.00" }).click();
  await region("What is left").getByText("€15.00", { exact: true }).first().waitFor();
});

check("what is left, what runs out when, and the history", async () => {
  const { page } = opened;
  await use(client, bucket, 300);
  await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
  await show();
  await region("What is left").getByText("700 Requests", { exact: true }).first().waitFor();
  await region("What is left").getByText("The next to expire: 700 Requests on Jan 1, 2032.").waitFor();
  const rows = page.getByRole("table", { name: "History" }).locator("tbody tr");
  await rows.nth(2).waitFor();
  expect((await rows.allInnerTexts()).map((row) => row.split("\t").slice(1))).toEqual([
    ["Used", "Starter pack", "-300 Requests"],
    ["Added", "Top credit", "+€15.00"],
    ["Added", "Starter pack", "+1,000 Requests"],
  ]);
});

check("a top-up is set up, wrong values are reported, and it says why it was turned off", async () => {
  const { page } = opened;
  const card = region("Automatic top-up");
  await button("Set up automatic top-up").click();
  await dialog().getByLabel("When less is left than, in Requests").fill("5000");
  await dialog().getByLabel("At most in a month, in EUR").fill("5");
  await dialog().getByText("is less than the price of €12.00").waitFor();
  opened.errors.expect(400);
  await dialog().getByRole("button", { name: "Save top-up" }).click();
  await dialog().getByText("must be less than the grant of the pack").waitFor();
  await checkPage("top-up", { isAccessible: true });
  await dialog().getByLabel("When less is left than, in Requests").fill("100");
  await dialog().getByLabel("At most in a month, in EUR").fill("50");
  await dialog().getByRole("button", { name: "Save top-up" }).click();
  await card
    .getByText("Buys Starter pack when less than 100 Requests is left, for at most €50.00 in a calendar month")
    .waitFor();
  // The card is replaced by one that is declined, and then the credit falls below.
  await button("Change payment method").click();
  await payWith("Card that is declined");
  await region("What is left").waitFor();
  await use(client, bucket, 650);
  const customer = async () => (await ok(client.get(`${bucket}/customers/acme`))).topUp.isEnabled;
  await eventually(customer).toBe(false);
  await page.reload();
  await card.getByText("It was turned off on Jan 1, 2031, because a payment failed").waitFor();
  await checkPage("full", { isAccessible: true });
  // With the next card, the bank asks for a second step.
  await card.getByRole("button", { name: "Change payment method" }).click();
  await payWith("Card that needs a second step");
  await card.getByRole("button", { name: "Turn on" }).click();
  await card.getByText("On", { exact: true }).waitFor();
  const open = async () => (await ok(client.get(`${bucket}/customers/acme/packs`))).data.at(-1).needsAction;
  await eventually(open).toBe(true);
  await page.reload();
  await page.getByText("Your bank asks you to confirm the payment of €12.00 for Starter pack").waitFor();
  await checkPage("second-step");
  const [bank] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("link", { name: "Confirm the payment" }).click(),
  ]);
  await bank.getByRole("button", { name: "Confirm the payment" }).click();
  await page.getByText("Your bank asks").waitFor({ state: "hidden" });
  await card.getByText("€12.00 this month so far.").waitFor();
  await bank.close();
});

check("who may not buy sees credit without buttons, and with manual payments there is no top-up", async () => {
  const whole = opened;
  opened = await signedIn(["usage:read"]);
  await show();
  await region("What is left").waitFor();
  expect(await button(/^(Buy|Turn o|Change (payment|top-up)|Set up)/).count()).toBe(0);
  await region("Buy credit").getByText("A person who may choose plans can buy it.").waitFor();
  await opened.close();
  opened = whole;
  const provider = `/v1/accounts/${account}/payment-provider/test`;
  await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
  await show();
  await button("Buy Top credit").click();
  await dialog().getByText("You get an invoice that says how to pay.").waitFor();
  await dialog().getByRole("button", { name: "Buy Top credit" }).click();
  await opened.page.getByText("Top credit is added once its invoice of €12.00 is paid.").waitFor();
  expect(await region("Automatic top-up").count()).toBe(0);
});
