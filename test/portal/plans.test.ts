import { afterAll, beforeAll, expect } from "bun:test";
import type { Locator } from "playwright-core";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { moveTo, newTestBucket, ok, setProfile, use } from "../support/billing.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { accessibilityProblemsOfThemes, desktop, misfits, phone, settled } from "../support/console.ts";
import { sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, subscribe } from "../support/metering.ts";
import { allScopes, portalPath, setPortal } from "../support/portal.ts";
import { portalCheck } from "../support/portal-check.ts";
import { checkPage } from "../support/portal-page.ts";
import { useServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const patienceMs = patiently(120_000);
/** A folder for screenshots. */
const pictures = process.env.TOLLGATE_TEST_PICTURES;

// A server reads the pages when it starts.
await buildWebIfOutdated(["portal"]);

// The pages do not depend on the engine.
const server = useServer(sqlite);
const { client } = server;
let opened: OpenPage;
let bucket: string;
let url: string;

const place = (name: string) => opened.page.getByRole("navigation").getByRole("link", { name, exact: true });
const dialog = () => opened.page.getByRole("dialog").last();
const button = (name: string | RegExp) => opened.page.getByRole("button", { name });
const yourPlan = () => opened.page.getByRole("region", { name: "Your plan" });
const statuses = async () =>
  (await client.get(`${bucket}/subscriptions`)).body.data.map(({ status }: { status: string }) => status);

const check = portalCheck(() => ({ opened, origins: [url] }));

/** Chooses a card at the page of the sandbox. */
async function payWith(card: string): Promise<void> {
  const { page } = opened;
  await page.getByLabel(card).check();
  await page.getByRole("button", { name: /^(Pay|Save payment method)( |$)/ }).click();
}

/** The page to print of the invoice in a row. */
async function printed(row: Locator): Promise<string> {
  const path = await row.getByRole("link").first().getAttribute("href");
  return opened.page.evaluate(
    async (address) => (await fetch(address, { headers: { accept: "text/html" } })).text(),
    path!,
  );
}

beforeAll(async () => {
  bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
  const meters = { requests: { label: "requests", max: 1000 } };
  const shown = { isPublic: true, meters };
  const little = { requests: { label: "requests", max: 100 } };
  const plan = { planExternalId: "free", label: "Free", ...shown, meters: little, position: 1 };
  const free = await createPlan(client, bucket, plan);
  const price = (amount: string) => ({ price: { currency: "EUR", amount, interval: "month" } });
  const gold = { planExternalId: "gold", label: "Gold", ...shown, ...price("30.00"), position: 2 };
  await createPlan(client, bucket, {
    ...gold,
    description: "For a growing team.",
    features: { "Support by mail": true },
    rollover: { requests: { maximum: 250, periods: 2 } },
  });
  await createPlan(client, bucket, { planExternalId: "pro", label: "Pro", ...shown, ...price("90.00"), position: 3 });
  await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "acme" });
  await subscribe(client, bucket, [free], { customerKey: "acme" });
  url = (await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") })).url;
  const input = { consumerName: "acme", subject: "jo@acme.example", scopes: allScopes };
  const { body } = await client.post(`${portalPath()}/sessions`, input);
  opened = await openPage(url);
  await opened.page.getByText("You are not signed in").waitFor();
  await opened.page.goto(body.url);
  await opened.page.getByRole("button", { name: "Continue" }).click();
  await place("Plans").waitFor();
  opened.errors.take();
}, patienceMs);
afterAll(() => opened?.close());

check("the plans are shown with their prices, and the current one is marked", async () => {
  const { page } = opened;
  await place("Plans").click();
  await yourPlan().getByRole("heading", { name: "Free" }).waitFor();
  const cards = page.getByRole("list", { name: "Plans" }).locator(".plan-card");
  expect(await cards.locator("h2").allInnerTexts()).toEqual(["Free", "Gold", "Pro"]);
  await cards.nth(1).getByText("€30.00").waitFor();
  await cards.nth(1).getByText("1,000 requests per month; up to 250 unused carry over for 2 periods").waitFor();
  expect(await cards.nth(0).getByText("Your plan").count()).toBe(1);
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size);
    await settled(page);
    expect(await misfits(page)).toEqual([]);
  }
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
});

check("without a billing profile, the page shows that buying is not available yet", async () => {
  const { page } = opened;
  await page.getByText("Buying is not available yet; contact the business.").waitFor();
  expect(await page.getByText("Not available yet", { exact: true }).count()).toBe(2);
  expect(await button(/^Choose/).count()).toBe(0);
  await setProfile(client);
  await page.reload();
  await button("Choose Gold").waitFor();
  expect(await page.getByText(/not available yet/i).count()).toBe(0);
});

check("buying: a declined card is reported, the plan is not active, and another card pays", async () => {
  const { page } = opened;
  await button("Choose Gold").click();
  await dialog()
    .getByRole("row", { name: /Due now/ })
    .getByText("€30.00")
    .waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await dialog().getByRole("button", { name: "Continue to payment" }).click();
  await page.getByRole("heading", { name: "Pay" }).waitFor();
  await page.setViewportSize(phone);
  expect(await misfits(page)).toEqual([]);
  await page.setViewportSize(desktop);
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await page.getByRole("link", { name: "Back without paying" }).click();
  await page.getByText("Gold is not paid yet.").waitFor();
  await button("Pay now").click();
  await payWith("Card that is declined");
  await page.getByText("The card was declined.").waitFor();
  await page.getByRole("link", { name: "Back without paying" }).click();
  await page.getByText("The payment of Gold failed.").waitFor();
  expect(await page.getByText("Waiting for the payment").count()).toBe(0);
  await yourPlan().getByRole("heading", { name: "Free" }).waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  expect(await statuses()).toEqual(["active", "incomplete"]);
  // The address says that the customer is back from paying; the server knows better.
  await page.goto(`${url}/plans?paid`);
  await page.getByText("If you have just paid with another method").waitFor();
  await button("Pay with another method").click();
  await payWith("Card that succeeds");
  await yourPlan().getByRole("heading", { name: "Gold" }).waitFor();
  expect(await page.getByText("Waiting for the payment").count()).toBe(0);
  expect(await statuses()).toEqual(["canceled", "active"]);
});

check("a plan for a month and a year is one card, and a confirmation says what happens beyond the limits", async () => {
  const { page } = opened;
  const cards = () => page.getByRole("list", { name: "Plans" }).locator("h2").allInnerTexts();
  const yearly = await createPlan(client, bucket, {
    planExternalId: "pro-yearly",
    label: "Pro yearly",
    isPublic: true,
    meters: { requests: { label: "requests", max: 1000 } },
    rates: { requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] } },
    price: { currency: "EUR", amount: "900.00", interval: "year" },
  });
  await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", ""), recommendedPlan: "pro" });
  await page.reload();
  await eventually(cards).toEqual(["Free", "Gold", "Pro"]);
  expect(await page.locator(".plan-card", { hasText: "Recommended" }).locator("h2").allInnerTexts()).toEqual(["Pro"]);
  await page.getByText("Yearly", { exact: true }).click();
  await eventually(cards).toEqual(["Free", "Gold", "Pro yearly"]);
  await checkPage(page, "plans-yearly");
  await page.getByRole("button", { name: "Choose Pro yearly" }).click();
  await dialog().getByText("then €0.10 each").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Monthly", { exact: true }).click();
  await page.getByRole("button", { name: "Choose Pro", exact: true }).click();
  await dialog().getByText("then requests are rejected").waitFor();
  await page.keyboard.press("Escape");
  await client.delete(`${bucket}/plans/${yearly.id}`);
  await page.reload();
});

check("an upgrade shows what is due, and a downgrade when it happens; it is undone", async () => {
  await button("Choose Pro").click();
  await dialog()
    .getByRole("row", { name: /Due now/ })
    .getByText("€60.00")
    .waitFor();
  await dialog().getByRole("button", { name: "Choose Pro" }).click();
  await yourPlan().getByRole("heading", { name: "Pro" }).waitFor();
  // A downgrade is never blind: the price, the limit that is lower, and what was used of it.
  await use(client, bucket, 150);
  await button("Choose Free").click();
  const comparison = dialog().getByRole("table", { name: "Comparison" });
  await comparison.waitFor();
  const rows = await comparison.locator("tr").allInnerTexts();
  expect(rows.map((row) => row.trim().replaceAll(/\s+/g, " "))).toEqual([
    "What Now Free Used",
    "Price €90.00 per month Free",
    "requests 1,000 100 Lower then requests are rejected 150",
  ]);
  await dialog().getByText("You have used 150 requests in this period. Free allows 100: from Feb 1, 2031 on").waitFor();
  await dialog().locator(".choice", { hasText: "Now" }).click();
  await dialog().getByText("further ones are rejected until the period ends").waitFor();
  for (const size of [phone, desktop]) {
    await opened.page.setViewportSize(size);
    await settled(opened.page);
    expect(await misfits(opened.page)).toEqual([]);
    if (pictures) await opened.page.screenshot({ path: `${pictures}/downgrade-${size.width}.png` });
  }
  expect(await accessibilityProblemsOfThemes(opened.page)).toEqual({ light: [], dark: [] });
  await dialog().getByRole("button", { name: "Cancel" }).click();
  await button("Choose Gold").click();
  await dialog().getByText("Your plan changes on Feb 1, 2031.").waitFor();
  await dialog().getByRole("button", { name: "Choose Gold" }).click();
  await yourPlan().getByText("Changes to gold on Feb 1, 2031.").waitFor();
  await button("Undo the change").click();
  await yourPlan().getByText("The current period ends on Feb 1, 2031.").waitFor();
});

const card = (title: string) =>
  opened.page.locator("section.card", { has: opened.page.getByRole("heading", { name: title, exact: true }) });

check("the start page has the plan with its next charge and usage and the keys", async () => {
  const { page } = opened;
  await place("Start").click();
  await card("Plan").getByText("Pro · €90.00 on Feb 1, 2031").waitFor();
  await card("Plan").getByText("150 of 1,000").waitFor();
  await card("Keys").getByText("No key yet: create one to send requests.").waitFor();
  expect(await page.locator(".notice").count()).toBe(0);
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size);
    await settled(page);
    expect(await misfits(page)).toEqual([]);
    if (pictures) await page.screenshot({ path: `${pictures}/start-${size.width}.png` });
  }
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await card("Plan").getByRole("link", { name: "Plans" }).click();
});

check("a failed renewal is reported, access ends, and another card recovers it, with a second step", async () => {
  const { page } = opened;
  await button("Change payment method").click();
  await payWith("Card that is declined");
  await yourPlan().getByRole("heading", { name: "Pro" }).waitFor();
  await moveTo(client, bucket, "2031-02-01T00:00:00.000Z");
  await page.reload();
  await page.getByText("A payment failed. Requests will be rejected").waitFor();
  await moveTo(client, bucket, "2031-02-04T00:00:00.000Z");
  await place("Usage").click();
  await page.getByRole("heading", { name: "Plan Pro is unpaid" }).waitFor();
  expect(await page.getByText("No active plan").count()).toBe(0);
  await place("Start").click();
  await page.reload();
  await page
    .getByText(/^Requests that a plan limits are rejected since Feb 4, 2031: TEST-INV-\d+ \(€90.00\) is/)
    .waitFor();
  if (pictures) await page.screenshot({ path: `${pictures}/start-unpaid.png` });
  await card("1 open invoice").getByRole("link", { name: "Pay" }).waitFor();
  await place("Usage").click();
  await page.getByRole("link", { name: "Pay under Plans" }).click();
  await page.reload();
  await page.getByText("A payment failed. Requests are rejected until it is paid.").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  // Without online payments, no payment is tried.
  const provider = `/v1/accounts/${account}/payment-provider/test`;
  await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
  await page.reload();
  await page.getByText("An invoice is not paid. Requests are rejected until it is paid.").waitFor();
  await ok(client.raw("PUT", provider, JSON.stringify({ type: "sandbox" })));
  await page.reload();
  await button("Pay with another method").click();
  await payWith("Card that needs a second step");
  await button("Confirm the payment").click();
  await yourPlan().getByText("Active").waitFor();
  expect(await page.getByText("A payment failed.").count()).toBe(0);
});

check("credits are shown, and a spending cap is set, changed and removed", async () => {
  const { page } = opened;
  await place("Usage").click();
  const beyond = page.getByRole("region", { name: "Usage beyond your plan" });
  await beyond.getByText("It is rejected until the next period, and costs nothing.").waitFor();
  await place("Plans").click();
  const grant = { meter: "requests", amount: 250, funding: "promotional", reason: "Welcome" };
  await ok(client.post(`${bucket}/customers/acme/grants`, grant));
  await ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount: "25.00", funding: "paid" }));
  await ok(client.patch(`${bucket}/customers/acme`, { creditLimit: { amount: "200.00", action: "block" } }));
  await use(client, bucket, 40);
  await page.reload();
  await place("Usage").click();
  // The clock of the bucket is years ahead of the browser's.
  const chart = page.getByRole("table", { name: "requests in this period" });
  await chart.locator("td", { hasText: /^40$/ }).first().waitFor({ state: "attached" });
  expect(await page.getByRole("region", { name: "requests in this period" }).count()).toBe(0);
  const credits = page.getByRole("table", { name: "Credits" });
  await credits.getByText("Welcome").waitFor();
  expect(await credits.locator("tbody tr").count()).toBe(2);
  const cap = page.getByRole("region", { name: "Spending cap" });
  await cap.getByText("Set for you: At most €200.00").waitFor();
  await button("Set spending cap").click();
  await dialog().getByLabel("Amount in EUR").fill("much");
  opened.errors.expect(400);
  await dialog().getByRole("button", { name: "Save spending cap" }).click();
  await dialog().getByText("must be a decimal that is not negative").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await dialog().getByLabel("Amount in EUR").fill("50.00");
  await dialog().getByRole("button", { name: "Save spending cap" }).click();
  await cap.getByText("At most €50.00 in each period").waitFor();
  const stored = async () => (await ok(client.get(`${bucket}/customers/acme`))).spendCap;
  expect(await stored()).toEqual({ amount: "50.00", currency: "EUR", action: "block" });
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size);
    await settled(page);
    expect(await misfits(page)).toEqual([]);
  }
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await button("Change spending cap").click();
  await dialog().getByRole("button", { name: "Remove cap" }).click();
  await cap.getByText("Usage beyond your plan is rejected, without a cost.").waitFor();
  expect(await stored()).toBeUndefined();
  await place("Plans").click();
});

check("a plan is canceled at the end of the period, which is undone, and then ends", async () => {
  const { page } = opened;
  await button("Cancel plan…").click();
  await dialog().getByText("Nothing is refunded.").waitFor();
  await dialog().getByRole("button", { name: "Cancel Pro" }).click();
  await yourPlan().getByText("Ends on Mar 1, 2031.").waitFor();
  await button("Keep the plan").click();
  await yourPlan().getByText("The current period ends on Mar 1, 2031.").waitFor();
  await button("Cancel plan…").click();
  await dialog().getByRole("button", { name: "Cancel Pro" }).click();
  await yourPlan().getByText("Ends on Mar 1, 2031.").waitFor();
  await moveTo(client, bucket, "2031-03-01T00:00:00.000Z");
  await page.reload();
  await button("Choose Pro").waitFor();
  expect(await yourPlan().count()).toBe(0);
});

check("the dialog shows what credits pay; with manual payments it says that an invoice follows", async () => {
  const { page } = opened;
  await button("Choose Gold").click();
  const amounts = dialog().getByRole("table", { name: "Amounts" }).locator("tr");
  await amounts.last().waitFor();
  // The credits of 25.00 are left: no plan was paid since they were granted.
  expect(await amounts.allInnerTexts()).toEqual([
    "Gold\t€30.00",
    "Total\t€30.00",
    "Paid from credits\t-€25.00",
    "Due now\t€5.00",
  ]);
  await dialog().getByRole("button", { name: "Cancel" }).click();
  const provider = `/v1/accounts/${account}/payment-provider/test`;
  await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
  await page.reload();
  await button("Choose Gold").click();
  await dialog().getByText("You get an invoice that says how to pay.").waitFor();
  expect(await dialog().getByRole("button", { name: "Continue to payment" }).count()).toBe(0);
  expect(await dialog().getByRole("button", { name: "Choose Gold" }).isEnabled()).toBe(true);
  await dialog().getByRole("button", { name: "Cancel" }).click();
  await ok(client.raw("PUT", provider, JSON.stringify({ type: "sandbox" })));
});

check("invoices are listed, open as a page, and name the company after it is entered", async () => {
  const { page } = opened;
  await place("Invoices").click();
  const rows = page.getByRole("table", { name: "Invoices" }).locator("tbody tr");
  // The list of an earlier visit is shown until the new one has arrived.
  await eventually(() => rows.locator("td:nth-child(1)").allInnerTexts()).toEqual([
    "TEST-INV-000003",
    "TEST-INV-000002",
    "TEST-INV-000001",
  ]);
  await button("Change billing details").click();
  await dialog().getByLabel("Name on invoices").fill("Acme Ltd");
  await dialog().getByLabel("Street and number").fill("1 High St");
  opened.errors.expect(400);
  await dialog().getByRole("button", { name: "Save billing details" }).click();
  await dialog().getByText("must be a country").waitFor();
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  await dialog().getByLabel("Country").selectOption("United Kingdom");
  await dialog().getByRole("button", { name: "Save billing details" }).click();
  await page.getByRole("region", { name: "Billing details" }).getByText("Acme Ltd").waitFor();
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size);
    await settled(page);
    expect(await misfits(page)).toEqual([]);
  }
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
  expect(await printed(rows.first())).toContain("Invoice TEST-INV-000003");
});

check("a refund is shown at the invoice and at its credit note, in the list and on the pages to print", async () => {
  const { page } = opened;
  const invoice = (await ok(client.get(`${bucket}/invoices?limit=100`))).data.find(
    ({ number }: { number: string }) => number === "TEST-INV-000003",
  );
  const credit = { lines: [{ description: "Outage", amount: "10.00" }], to: "payment-method" };
  const { number } = await ok(client.post(`${bucket}/invoices/${invoice.id}/$credit`, credit));
  await page.reload();
  const rows = page.getByRole("table", { name: "Invoices" }).locator("tbody tr");
  await rows.getByText(`Credit note ${number}`).waitFor();
  const shown = (await rows.allInnerTexts()).slice(0, 2).map((text) => text.split(/[\t\n]+/).filter(Boolean));
  expect(shown).toEqual([
    [`Credit note ${number}`, "Mar 1, 2031", "Paid", "€10.00 refunded", "-€10.00", "PDF"],
    ["TEST-INV-000003", expect.any(String), "Paid", "€10.00 refunded", expect.any(String), "PDF"],
  ]);
  for (const row of [rows.first(), rows.nth(1)])
    expect(await printed(row)).toContain("<dt>Refunded</dt><dd>10.00 EUR</dd>");
  await page.setViewportSize(phone);
  await settled(page);
  expect(await misfits(page)).toEqual([]);
  expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
});
