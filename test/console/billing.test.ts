import { beforeAll, describe, expect } from "bun:test";
import { billed, invoicesOf, monthly, moveTo, ok, perUnit, setProfile } from "../support/billing.ts";
import { accessibilityProblems } from "../support/console.ts";
import { check, checkPages, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { createPlan, record, subscribe, usageEvent } from "../support/metering.ts";
import { addFilter } from "../support/use-console.ts";

const steps = useConsole();
const { see, press, pressInDialog, type, choose, rows, openTab } = steps;

const start = "2031-01-01T00:00:00.000Z";
let bucket: string;
let bucketId: string;
let planId: string;

beforeAll(async () => {
  const { client } = steps.console.server;
  await setProfile(client, { taxRates: [{ name: "VAT", percentage: "19", country: "DE" }] });
  const gold = {
    label: "Gold",
    ...monthly("30.00"),
    meters: { requests: { label: "Requests", max: 100 } },
    rates: { requests: perUnit("0.10") },
  };
  const first = await billed(client, start, gold);
  bucket = first.bucket;
  bucketId = bucket.split("/").at(-1)!;
  planId = first.plan.id;
  const silver = await createPlan(client, bucket, { label: "Silver", ...monthly("10.00") });
  for (const customerKey of ["globex", "initech"])
    await subscribe(client, bucket, [silver], { customerKey, subscriptionExternalId: customerKey });
  await ok(
    client.patch(`${bucket}/customers/acme`, {
      email: "billing@acme.example",
      legalName: "Acme GmbH",
      address: { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" },
    }),
  );
  const method = (key: string, behavior: string) =>
    client.raw("PUT", `${bucket}/customers/${key}/payment-method`, JSON.stringify({ type: "sandbox", behavior }));
  await ok(method("acme", "succeeds"));
  await ok(method("globex", "fails"));
  await record(client, bucket, usageEvent({ requests: 230 }));
  await moveTo(client, bucket, "2031-02-01T00:30:00.000Z");
}, patienceMs);

const invoices = async (query: string) => invoicesOf(steps.console.server.client, bucket, query);

describe("invoices", () => {
  check("are listed with their state and next step, the newest first, and filtered", async () => {
    await steps.console.visit("/billing");
    await eventually(async () => (await rows("Invoices")).length).toBe(6);
    const [newest] = await rows("Invoices");
    expect(newest).toContain("initech");
    await see("Payment failed");
    await see("Usage is added on Feb 1, 2031");
    await addFilter(steps.console.page, "State", "draft");
    await eventually(async () => (await rows("Invoices")).length).toBe(1);
    await eventually(() => rows("Invoices")).toEqual([expect.stringContaining("€51.17")]);
    await addFilter(steps.console.page, "State", "void");
    await see("No invoice matches");
    await press("Clear filters");
    await eventually(async () => (await rows("Invoices")).length).toBe(6);
  });

  check("a draft is finalized after a confirmation that says what happens", async () => {
    const [{ id }] = await invoices("?status=draft");
    await steps.console.visit(`/billing?invoice=${id}`);
    await see("It waits for late usage until Feb 1, 2031");
    await eventually(() => rows("Lines")).toEqual(
      ["Gold", "€13.00", "VAT 19 %"].map((text) => expect.stringContaining(text)),
    );
    await press("Finalize");
    await see(/gets its number, and never changes afterwards/);
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await pressInDialog("Finalize draft");
    await see("Invoice finalized");
    await eventually(async () => (await invoices("?status=draft")).length).toBe(0);
    const [paid] = await invoices("?customerKey=acme&status=paid");
    expect(paid.total).toBe("51.17");
  });

  check("an open invoice is collected, credited, marked as paid, given up and voided", async () => {
    const [first, second] = await invoices("?customerKey=globex");
    await steps.console.visit(`/billing?invoice=${first.id}`);
    await press("Collect");
    await see(/If the payment fails, the invoice stays open/);
    await pressInDialog(`Collect €${first.amountDue}`);
    await see("Payment attempted");
    await press("Credit");
    const { page } = steps.console;
    const amount = page.getByLabel("Amount in EUR");
    await eventually(() => amount.inputValue()).toBe(first.total);
    await type("Amount in EUR", `1${first.total}`);
    await type("Reason", "Outage");
    await see(`must be at most €${first.total}`);
    await eventually(() => page.getByRole("dialog").getByRole("button", { name: "Credit" }).isDisabled()).toBe(true);
    await type("Amount in EUR", "4,00");
    await pressInDialog("Credit €4.00");
    await see("Credited with credit note TEST-INV-CN-000001");
    await press("Mark as paid");
    await type("Reference", "transfer 4711");
    await pressInDialog("Mark as paid");
    await see("Invoice marked as paid");
    await eventually(async () => (await invoices("?customerKey=globex&status=paid"))[0]?.reference).toBe(
      "transfer 4711",
    );

    await steps.console.visit(`/billing?invoice=${second.id}`);
    await press("Give up");
    await see(/the access of globex ends after the grace period/);
    await pressInDialog(`Give up ${second.number}`);
    await see("Invoice given up");
    await press("Void");
    await see(/The number stays in the series/);
    await pressInDialog(`Void ${second.number}`);
    await see("Invoice voided");
    await eventually(async () => (await invoices("?status=void")).length).toBe(1);
  });

  check("unpaid invoices show a reason", async () => {
    await steps.console.visit("/billing?tab=unpaid");
    await see(/€50.00 are open, of which €40.00 are overdue or failed/);
    const [first] = await rows("Unpaid invoices");
    expect(first).toContain("It was not paid by its due date, Jan 15, 2031.");
    await see(/The customer has no payment method/);
  });

  check("are added up by month and plan, beside recurring revenue and its changes", async () => {
    await steps.console.visit("/billing?tab=revenue");
    // The access of the two others has ended.
    await eventually(() => rows("Changes in EUR")).toEqual([
      expect.stringMatching(/Feb 2031\s+–\s+–\s+–\s+–\s+€10.00\s+1/),
      expect.stringMatching(/Jan 2031\s+€10.00\s+–\s+–\s+–\s+€10.00\s+1/),
    ]);
    await eventually(() => rows("Top customers in EUR")).toEqual([expect.stringMatching(/\w+.*€10.00/s)]);
    const download = steps.console.page.waitForEvent("download");
    await press("Download CSV");
    expect((await download).suggestedFilename()).toBe("recurring-revenue.csv");
    // The chart has a table too.
    const invoiced = steps.console.page.getByRole("table", { name: "Invoiced in EUR", exact: true });
    await eventually(() => invoiced.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/Feb 2031.*€49.00.*€43.00.*€10.00.*€13.00.*-€4.00/s),
      expect.stringMatching(/Jan 2031.*€50.00.*€30.00.*€20.00/s),
    ]);
  });
});

describe("customers", () => {
  check("are listed with plan, payment method and what they owe", async () => {
    await steps.console.visit("/billing?tab=customers");
    await eventually(async () => (await rows("Customers")).length).toBe(3);
    await eventually(() => rows("Customers")).toContainEqual(expect.stringMatching(/initech.*€20.00.*€10.00 overdue/s));
    await see("Sandbox: payments succeed");
    await steps.console.page.getByRole("link", { name: "Acme GmbH" }).click();
    await see("10115 Berlin");
    await eventually(async () => (await rows("Invoices")).length).toBe(2);
    await eventually(async () => (await rows("Subscriptions")).length).toBe(1);
  });

  check("are changed; a concurrent change is shown", async () => {
    await steps.console.visit(`/customers/${bucketId}/initech`);
    await see(/gets no mail about invoices/);
    await press("Edit billing details");
    await type("Legal name", "Initech Inc.");
    await type("Address", "1 Main St");
    steps.console.errors.expect(400);
    await pressInDialog("Save customer");
    await see("must be a country of ISO 3166, such as DE");
    await choose("Country", "US");
    const { client } = steps.console.server;
    await ok(client.patch(`${bucket}/customers/initech`, { legalName: "Initech LLC" }));
    steps.console.errors.expect(412);
    await pressInDialog("Save customer");
    await see("Initech LLC");
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await press("Keep mine, and save over theirs");
    await see("Customer initech saved");
    await eventually(async () => (await ok(client.get(`${bucket}/customers/initech`))).legalName).toBe("Initech Inc.");
    await press("Payment method");
    await steps.console.page.getByRole("combobox", { name: "Payment method" }).selectOption("needs-action");
    await pressInDialog("Save payment method");
    await see("Sandbox: needs a second step");
  });
});

describe("credits and caps", () => {
  check("a free month is granted, and voided after a confirmation", async () => {
    await steps.console.visit(`/customers/${bucketId}/globex`);
    await see(/Grant units of a meter, or money/);
    await press("Grant credits");
    await press("A free month: €10.00");
    await type("Amount", "10.001");
    steps.console.errors.expect(400);
    await pressInDialog("Grant credits");
    await see("must have at most 2 decimals in EUR");
    await type("Amount", "10.00");
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await pressInDialog("Grant credits");
    await see("Credits granted to globex");
    await eventually(() => rows("Credits")).toEqual([expect.stringMatching(/A free month.*€10.00.*Active/s)]);
    await press("Grant credits");
    await steps.console.page.getByText("Units of a meter", { exact: true }).click();
    await type("Amount", "250");
    await pressInDialog("Grant credits");
    await eventually(async () => (await rows("Credits")).length).toBe(2);
    await press("Void €10.00");
    await see(/What the credits have paid stays paid/);
    await pressInDialog("Void €10.00");
    await see("Credits voided");
    const { client } = steps.console.server;
    const { data } = await ok(client.get(`${bucket}/customers/globex/grants`));
    expect(data).toMatchObject([
      { currency: "EUR", amount: "10.00", funding: "promotional", reason: "A free month", status: "voided" },
      { amount: 250, balance: 250, funding: "promotional", status: "active" },
    ]);
  });

  check("the credit limit is set, and a concurrent change is shown", async () => {
    await steps.console.visit(`/customers/${bucketId}/globex`);
    await press("Credit limit");
    await type("Amount", "much");
    steps.console.errors.expect(400);
    await pressInDialog("Save credit limit");
    await see(/must be a decimal that is not negative/);
    await type("Amount", "200.00");
    const { client } = steps.console.server;
    const spendCap = { amount: "50.00", action: "notify" };
    await ok(client.patch(`${bucket}/customers/globex`, { spendCap }));
    steps.console.errors.expect(412);
    await pressInDialog("Save credit limit");
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    await press("Keep mine, and save over theirs");
    await see("Credit limit saved");
    await see(/200.00.* in a period; then usage is rejected/);
    await see(/50.00.* in a period; nothing is rejected/);
    const creditLimit = { amount: "200.00", action: "block" };
    expect(await ok(client.get(`${bucket}/customers/globex`))).toMatchObject({ spendCap, creditLimit });
    await press("Credit limit");
    await type("Amount", "9000");
    await type("Currency", "JPY");
    await pressInDialog("Save credit limit");
    await see(/9000 JPY in a period; then usage is rejected/);
    const { creditLimits } = await ok(client.get(`${bucket}/customers/globex`));
    expect(creditLimits).toMatchObject([creditLimit, { amount: "9000", action: "block", currency: "JPY" }]);
  });

  check(
    "a credit pack is refunded after a confirmation that says what comes back, and payments are listed",
    async () => {
      const { client } = steps.console.server;
      const grant = { meter: "requests", amount: 1000 };
      const pack = {
        packExternalId: "thousand",
        label: "A thousand",
        price: { currency: "EUR", amount: "10.00" },
        grant,
      };
      await ok(client.post(`${bucket}/credit-packs`, pack));
      const sale = { packExternalId: "thousand", returnUrl: "https://acme.example/" };
      await ok(client.post(`${bucket}/customers/acme/packs/$purchase`, sale));
      const topUp = { packExternalId: "thousand", below: 100, maximumPerMonth: "20.00", isEnabled: true };
      await ok(client.patch(`${bucket}/customers/acme`, { topUp }));
      await steps.console.visit(`/customers/${bucketId}/acme`);
      await see(/Automatic top-up is on: thousand when less than 100 is left/);
      await eventually(() => rows("Credit packs")).toEqual([
        expect.stringMatching(/A thousand.*€11.90.*1,000 .*Paid/s),
      ]);
      expect(await accessibilityProblems(steps.console.page)).toEqual([]);
      await press("Refund A thousand");
      await see(/gets back €11.90 of €11.90/);
      await pressInDialog("Refund A thousand");
      await eventually(() => rows("Credit packs")).toEqual([expect.stringMatching(/€11.90 refunded/)]);
      await see(/because credit was refunded/);
      await steps.console.visit(`/billing?tab=payments&bucket=${bucketId}&customer=acme`);
      // The newest first, with the exact time in the browser's locale.
      await eventually(async () => (await rows("Payments"))[0]).toMatch(
        /acme.*Feb 1, 2031, \d\d:\d\d.*-€11.90.*Refund/s,
      );
      expect(await accessibilityProblems(steps.console.page)).toEqual([]);
      const browser = await steps.console.page.context().newCDPSession(steps.console.page);
      await browser.send("Emulation.setLocaleOverride", { locale: "de-DE" });
      await steps.console.show(`/billing?tab=payments&bucket=${bucketId}&customer=acme`);
      await eventually(async () => (await rows("Payments"))[0]).toMatch(/01\.02\.2031, \d\d:\d\d/);
      await browser.send("Emulation.setLocaleOverride", {});
      await steps.console.show("/billing");
    },
  );
});

describe("credit packs", () => {
  check("are created as customers see them, edited and deleted", async () => {
    const { page, server, errors } = steps.console;
    await steps.console.visit(`/billing?tab=packs&bucket=${bucketId}`);
    await eventually(() => rows("Credit packs")).toEqual([
      expect.stringMatching(/A thousand.*€10.00.*1,000 requests.*Never.*Hidden/s),
    ]);
    await press("New credit pack");
    await type("Label", "Starter");
    await type("Price", "5.00");
    await type("Amount", "many");
    await type("Days until it expires", "365");
    errors.expect(400);
    await pressInDialog("Create credit pack");
    await see(/must be a number: it counts units/);
    await type("Amount", "500");
    await page.getByLabel("Customers can buy it in the portal").check();
    const seen = page.getByRole("region", { name: "What customers see" });
    await eventually(() => seen.innerText()).toMatch(
      /Starter.*€5.00 plus tax.*500 Requests.*Expires 1 year after the payment/s,
    );
    await page.keyboard.press("Escape");
    await press("Keep editing");
    expect(await accessibilityProblems(page)).toEqual([]);
    await pressInDialog("Create credit pack");
    await see("Credit pack Starter created");
    await eventually(async () => (await rows("Credit packs")).at(-1)).toMatch(/Starter.*€5.00.*1 year.*Offered/s);

    const packs = `${bucket}/credit-packs`;
    const [{ id, ...created }] = (await ok(server.client.get(`${packs}?packExternalId=starter`))).data;
    expect(created).toMatchObject({
      price: { currency: "EUR", amount: "5.00" },
      grant: { meter: "requests", amount: 500, expiresInDays: 365 },
      isPublic: true,
      position: 0,
    });
    await press("Edit Starter");
    await type("Label", "Small");
    await ok(server.client.patch(`${packs}/${id}`, { position: 3 }));
    errors.expect(412);
    await pressInDialog("Save credit pack");
    await press("Keep mine, and save over theirs");
    await see("Credit pack Small saved");
    expect(await ok(server.client.get(`${packs}/${id}`))).toMatchObject({ label: "Small", position: 0 });

    await press("Delete A thousand");
    await see(/Automatic top-ups with it buy nothing any more/);
    await pressInDialog("Delete A thousand");
    await see("Credit pack A thousand deleted");
    await eventually(() => rows("Credit packs")).toEqual([expect.stringContaining("Small")]);
  });

  check("are bought by the automatic top-up that is set for a customer, until it is removed", async () => {
    const { page, server, errors } = steps.console;
    const topUp = async () => (await ok(server.client.get(`${bucket}/customers/acme`))).topUp;
    await steps.console.visit(`/customers/${bucketId}/acme`);
    await press("Automatic top-up");
    const below = page.getByLabel("When less is left than, in requests");
    // The pack of the former top-up is deleted: a tenth of the first pack is suggested.
    await eventually(() => below.inputValue()).toBe("50");
    await below.fill("500");
    await page.getByLabel("Turned on").uncheck();
    errors.expect(400);
    await pressInDialog("Save top-up");
    await see(/must be less than the grant of the pack/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await below.fill("80");
    await pressInDialog("Save top-up");
    await see(/Automatic top-up is off: starter when less than 80 is left/);
    expect(await topUp()).toMatchObject({ packExternalId: "starter", below: 80, isEnabled: false });
    await press("Automatic top-up");
    await pressInDialog("Remove top-up");
    await see("Automatic top-up removed");
    expect(await topUp()).toBeUndefined();
  });
});

describe("the price of a plan", () => {
  check("is edited with its rates, as customers see it", async () => {
    await steps.console.visit(`/plans?bucket=${bucketId}&plan=${planId}`);
    await see("€30.00 per month");
    await see("then €0.10 each");
    await press("Edit plan");
    await type("Price (optional)", "35.00");
    await type("Tier 1 of requests: up to", "150");
    await press("Add tier");
    await type("Tier 2 of requests: price of a unit", "0.05");
    await type("Carried over of requests", "50");
    await see("€35.00 per month");
    await see(/100 Requests in each period, then from €0.10 each; up to 50 unused carry over to the next period/);
    expect(await accessibilityProblems(steps.console.page)).toEqual([]);
    const { client } = steps.console.server;
    await ok(
      client.patch(`${bucket}/plans/${planId}`, { price: { currency: "EUR", amount: "33.00", interval: "month" } }),
    );
    steps.console.errors.expect(412);
    await pressInDialog("Save plan");
    await see("€33.00 per month");
    await press("Keep mine, and save over theirs");
    await see("Plan Gold saved");
    const saved = await ok(client.get(`${bucket}/plans/${planId}`));
    expect(saved.price.amount).toBe("35.00");
    expect(saved.rollover).toEqual({ requests: { maximum: 50, periods: 1 } });
    await see("up to 50 unused carry over to the next period");
    expect(saved.rates.requests.tiers).toEqual([
      { upTo: 150, unitAmount: "0.10" },
      { upTo: null, unitAmount: "0.05" },
    ]);
  });

  check("is set for a new plan, and a wrong rate is explained at its place", async () => {
    await steps.console.visit(`/plans?bucket=${bucketId}&new=true`);
    await type("Label", "Bronze");
    await type("Price (optional)", "5");
    await choose("Beyond the limit of requests", "bill");
    steps.console.errors.expect(400);
    await pressInDialog("Create plan");
    await see(/must be a decimal/);
    await type("Tier 1 of requests: price of a unit", "0.01");
    await type("Carried over of requests", "10");
    await type("Periods until carried over requests expire", "0");
    steps.console.errors.expect(400);
    await pressInDialog("Create plan");
    await see("must be at least 1");
    await type("Periods until carried over requests expire", "2");
    await pressInDialog("Create plan");
    await see("Plan Bronze created");
    await see("€5.00 per month");
  });
});

describe("settings", () => {
  check("the billing profile and the payment provider are changed", async () => {
    await steps.console.visit("/settings?tab=billing");
    await type("Legal name", "Weather GmbH");
    const { client } = steps.console.server;
    await setProfile(client, { legalName: "Other GmbH" });
    steps.console.errors.expect(412);
    await press("Save billing profile");
    await see("Other GmbH");
    await press("Take theirs");
    await press("Add tax");
    await steps.console.page.getByLabel("Tax", { exact: true }).fill("VAT");
    await type("Percent", "20");
    await steps.console.page.getByLabel("Customers in").selectOption({ label: "United Kingdom" });
    await type("Bank details", "IBAN GB00");
    await press("Save billing profile");
    await see("Billing profile saved");
    const { body } = await client.get("/v1/accounts/default/billing-profile");
    expect(body).toMatchObject({
      legalName: "Other GmbH",
      taxRates: [{ name: "VAT", percentage: "20", country: "GB" }],
      bankDetails: "IBAN GB00",
    });
    await steps.console.page.getByRole("combobox", { name: "Invoices of test buckets" }).selectOption("manual");
    await steps.console.page.getByRole("button", { name: "Save provider" }).last().click();
    await see("Payment provider saved");
    await eventually(async () => (await client.get("/v1/accounts/default/payment-provider/test")).body.type).toBe(
      "manual",
    );
  });
});

check("the keys of Stripe are set, checked, and not shown again", async () => {
  await steps.console.visit("/settings?tab=billing");
  const { page } = steps.console;
  const { client } = steps.console.server;
  await page.getByRole("combobox", { name: "Live invoices" }).selectOption("stripe");
  await see(/payment-provider\/live\/events/);
  await type("Secret key (live)", "sk_test_1");
  await type("Signing secret of the webhook endpoint (live)", "whsec_1");
  steps.console.errors.expect(400);
  await page.getByRole("button", { name: "Save provider" }).first().click();
  await see(/must be a live key/);
  expect(await accessibilityProblems(page)).toEqual([]);
  await type("Secret key (live)", "sk_live_1");
  await page.getByRole("button", { name: "Save provider" }).first().click();
  await see("Payment provider saved");
  await eventually(() => page.getByLabel("Secret key (live)").inputValue()).toBe("");
  const provider = "/v1/accounts/default/payment-provider/live";
  expect((await client.get(provider)).body.type).toBe("stripe");
  await ok(client.raw("PUT", provider, JSON.stringify({ type: "manual" })));
});

check("usage beyond a plan that bills it is shown as income, not as an alarm", async () => {
  const { client } = steps.console.server;
  const gold = await ok(client.get(`${bucket}/plans/${planId}`));
  const { id } = await subscribe(client, bucket, [gold], {
    customerKey: "umbrella",
    subscriptionExternalId: "umbrella",
  });
  await ok(client.post(`${bucket}/subscriptions/${id}/quotas/consume`, { meters: { requests: 150 } }));
  await steps.console.visit(`/subscriptions?bucket=${bucketId}&subscription=${id}`);
  await see("150 of 100 · the rest is billed");
  const bar = steps.console.page.getByRole("dialog").locator(".meter-bar").first();
  await eventually(() => bar.getAttribute("data-tone")).toBe("accent");
});

check("empty pages explain their purpose", async () => {
  const { client } = steps.console.server;
  const { id } = await ok(client.post("/v1/metering", {}));
  for (const [tab, text] of [
    ["invoices", "No invoices yet"],
    ["unpaid", "Everything is paid"],
    ["customers", "No customers yet"],
    ["packs", "Sell credit"],
    ["revenue", "Nothing was invoiced in twelve months"],
  ] as const) {
    await steps.console.visit(`/billing?bucket=${id}&tab=${tab}`);
    await see(text);
  }
  await openTab("Invoices");
  await see("Set the price of a plan");
});

checkPages(steps, () => [
  "/billing",
  "/billing?tab=unpaid",
  "/billing?tab=customers",
  "/billing?tab=revenue",
  `/billing?tab=packs&bucket=${bucketId}`,
  `/customers/${bucketId}/acme`,
  `/customers/${bucketId}/globex`,
  `/plans?bucket=${bucketId}&plan=${planId}`,
  "/settings?tab=billing",
]);
