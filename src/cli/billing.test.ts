import { expect, test } from "bun:test";
import { useCli } from "../../test/support/use-cli.ts";
import type {
  BillingProfile,
  Customer,
  Grant,
  Invoice,
  MeteringBucket,
  Page,
  PaymentProvider,
  Plan,
  PurchasedSubscription,
  Revenue,
  Subscription,
  SubscriptionChangePreview,
  UpcomingInvoice,
} from "../client/index.ts";

/** Runs each command of billing, from the seller to a canceled subscription, and checks its effect on the server. */
const bench = useCli();
const cli = () => bench.cli;
const client = () => bench.client;

const gold = { currency: "EUR", amount: "30.00", interval: "month" } as const;

let bucketId: string;
let firstId: string;

test("the seller: a profile is created, changed and cleared, and the provider is set", async () => {
  const none = await cli().run("billing show");
  expect(none).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringContaining("  → Set it: tollgate billing set"),
  });
  const missing = await cli().run("billing set --legal-name Weather");
  expect(missing).toMatchObject({ status: 2, stdout: "" });
  expect(missing.stderr).toContain("A new billing profile needs --address.");
  const words = "--address country=DE --number-prefix W- --tax-rate VAT=19,DE --terms-days 30 --tax-id DE1";
  const set = ["billing", "set", "--legal-name", "Weather GmbH", "--address", "line1=Hauptstr. 1", ...words.split(" ")];
  const profile = await cli().json<BillingProfile>(set);
  expect(profile).toMatchObject({
    legalName: "Weather GmbH",
    address: { line1: "Hauptstr. 1", country: "DE" },
    numberPrefix: "W-",
    termsDays: 30,
    taxRates: [{ name: "VAT", percentage: "19", country: "DE" }],
  });
  const rates = await cli().json<BillingProfile>("billing set --tax-rate VAT=8.1,CH --tax-rate VAT=19,DE");
  expect(rates.taxRates).toEqual([
    { name: "VAT", percentage: "8.1", country: "CH" },
    { name: "VAT", percentage: "19", country: "DE" },
  ]);
  expect(await cli().run("billing set --tax-rate VAT")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('must be NAME=PERCENTAGE[,COUNTRY], not "VAT"'),
  });
  const changed = await cli().json<BillingProfile>("billing set --grace-days 5 --clear termsDays --clear taxId");
  expect(changed).toMatchObject({
    legalName: "Weather GmbH",
    termsDays: 14,
    graceDays: 5,
    taxRates: rates.taxRates!,
  });
  expect(changed).not.toHaveProperty("taxId");
  expect(await cli().json<BillingProfile>("billing show")).toEqual(await client().billing.profile());
  expect((await cli().run("billing set --address street=x")).stderr).toContain('An address has no "street".');

  expect(await cli().json<PaymentProvider>("billing provider")).toEqual({
    mode: "live",
    type: "manual",
    webhookUrl: expect.stringMatching(/^http.*\/v1\/accounts\/\w+\/payment-provider\/live\/events$/),
  });
  const provider = await cli().json<PaymentProvider>("billing set-provider --mode test --type sandbox");
  expect(provider).toMatchObject({ mode: "test", type: "sandbox" });
  expect(await client().billing.provider("test")).toEqual(provider);
});

test("a test bucket: its clock is moved, and a subscription creates an invoice", async () => {
  const bucket = await cli().json<MeteringBucket>("metering create --name sandbox --test");
  expect(bucket).toMatchObject({ name: "sandbox", isTest: true });
  bucketId = bucket.id;
  await cli().json("metering move-clock sandbox --to 2040-01-01T00:00:00Z");
  const plans = client().plans(bucketId);
  const meters = { requests: { max: 100 } };
  await plans.create({ label: "Gold", planExternalId: "gold", meters, price: gold });
  await plans.create({ label: "Pro", planExternalId: "pro", meters, price: { ...gold, amount: "90.00" } });
  await cli().json("subscriptions create acme --plan gold");

  const { data } = await cli().json<Page<Invoice>>("invoices list --customer acme --status open");
  expect(data).toMatchObject([{ number: "TEST-W-000001", total: "30.00", amountDue: "30.00" }]);
  firstId = data[0]!.id;
  expect((await cli().run("invoices list")).stdout).toMatch(/^Number .*\nTEST-W-000001 +acme +invoice +open +30\.00/);
  expect((await cli().run("invoices list --status void")).stderr).toBe("There are no such invoices.\n");
  expect(await cli().json(["invoices", "show", firstId])).toEqual(await client().invoices(bucketId).get(firstId));
  const shown = (await cli().run(["invoices", "show", firstId])).stdout;
  expect(shown).toContain("Amount due ");
  expect(shown).toMatch(/\nplan +Gold +1 +30\.00 +30\.00 +2040-01-01 00:00:00Z/);
  const upcoming = await cli().json<UpcomingInvoice>("invoices upcoming acme");
  expect(upcoming).toMatchObject({ total: "30.00", lines: [{ periodStart: "2040-02-01T00:00:00.000Z" }] });
  const unknown = await cli().run("invoices show inv_none");
  expect(unknown).toMatchObject({ status: 1, stdout: "" });
  expect(unknown.stderr).toContain("List them: tollgate invoices list");
});

test("customers: details and payment methods are changed", async () => {
  expect((await cli().run("customers list")).stdout).toMatch(/^Customer key .*\nacme /);
  const update = "--email billing@acme.example --tax-id GB1 --tax-id GB2 --currency EUR --address country=GB";
  const words = ["customers", "update", "acme", "--address", "line1=1 High St", ...update.split(" ")];
  expect(await cli().json<Customer>(words)).toMatchObject({
    email: "billing@acme.example",
    address: { line1: "1 High St", country: "GB" },
    taxIds: ["GB1", "GB2"],
  });
  expect(await cli().json<Customer>("customers update acme --spend-cap 50.00 --cap-action notify")).toMatchObject({
    spendCap: { amount: "50.00", action: "notify" },
  });
  expect(await cli().json<Customer>("customers update acme --spend-cap 60.00 --credit-limit 90.00")).toMatchObject({
    spendCap: { amount: "60.00", action: "notify", currency: "EUR" },
    creditLimit: { amount: "90.00", action: "block", currency: "EUR" },
  });
  const inYen = { amount: "900", action: "block", currency: "JPY" };
  expect(await cli().json<Customer>("customers update acme --spend-cap 900 --cap-currency JPY")).toMatchObject({
    spendCaps: [{ amount: "60.00", action: "notify", currency: "EUR" }, inYen],
  });
  expect(await cli().json<Customer>("customers update acme --spend-cap 70.00")).toMatchObject({
    spendCaps: [{ amount: "70.00", action: "notify", currency: "EUR" }, inYen],
  });
  expect(await cli().run("customers update acme --cap-action block")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("--cap-action needs --spend-cap or --credit-limit."),
  });
  await cli().run("customers update acme --clear taxIds --clear email --clear spendCap");
  const acme = await cli().json<Customer>("customers show acme");
  expect(acme).toEqual(await client().customers(bucketId).get("acme"));
  for (const field of ["taxIds", "email"]) expect(acme).not.toHaveProperty(field);

  await cli().json("customers set-payment-method acme --behavior fails");
  expect(await cli().json<Invoice>(["invoices", "collect", firstId])).toMatchObject({ status: "open" });
  expect((await client().invoices(bucketId).get(firstId)).failedOn).toBeDefined();
  expect((await cli().run("customers delete-payment-method acme --yes")).stderr).toBe(
    "Deleted the payment method of acme.\n",
  );
  expect(await client().customers(bucketId).get("acme")).not.toHaveProperty("paymentMethod");
});

test("grants: created, listed, shown and voided", async () => {
  const words = "grants create acme --meter requests --amount 5 --funding promotional --priority 3 --reason Welcome";
  const created = await cli().json<Grant>(words);
  expect(created).toMatchObject({ meter: "requests", amount: 5, balance: 5, priority: 3, reason: "Welcome" });
  expect(await cli().json<Grant>(["grants", "show", "acme", created.id])).toEqual(created);
  expect((await cli().run("grants list acme")).stdout).toMatch(/requests .* promotional/);
  expect((await cli().run(["grants", "entries", "acme", created.id])).stdout).toMatch(/granted/);
  expect(await cli().json<Grant>(["grants", "void", "acme", created.id])).toMatchObject({ status: "voided" });
});

test("invoices: paid, credited, voided and finalized", async () => {
  const paid = await cli().json<Invoice>(["invoices", "mark-paid", firstId, "--reference", "transfer 4711"]);
  expect(paid).toMatchObject({ status: "paid", reference: "transfer 4711", amountDue: "0.00" });
  const again = await cli().run(["invoices", "mark-paid", firstId]);
  expect(again).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("invoice_not_open") });
  const confirmed = await cli().run(["invoices", "confirm", firstId]);
  expect(confirmed).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("invoice_not_open") });
  const note = await cli().json<Invoice>([
    "invoices",
    "credit",
    firstId,
    "--amount",
    "5.00",
    "--description",
    "Outage",
  ]);
  expect(note).toMatchObject({ type: "credit-note", correctsId: firstId, total: "5.00", number: "TEST-W-CN-000001" });
  expect((await client().customers(bucketId).get("acme")).balances).toEqual([{ currency: "EUR", amount: "5.00" }]);

  const words = ["--amount", "7.00", "--description", "Outage", "--to", "payment-method", "--reference", "transfer 7"];
  const refund = await cli().json<Invoice>(["invoices", "credit", firstId, ...words]);
  expect(refund).toMatchObject({ refund: { amount: "7.00", state: "succeeded" }, reference: "transfer 7" });

  await cli().json("metering move-clock sandbox --to 2040-02-01T00:00:00Z");
  const { data } = await cli().json<Page<Invoice>>("invoices list --status open");
  expect(data).toMatchObject([{ amountDue: "25.00" }]);
  expect(await cli().json<Invoice>(["invoices", "void", data[0]!.id])).toMatchObject({ status: "void" });
  const final = await cli().run(["invoices", "finalize", data[0]!.id]);
  expect(final).toMatchObject({ status: 1, stderr: expect.stringContaining("invoice_not_draft") });
});

test("an invoice is written as CSV and as a page", async () => {
  const csv = await cli().run(["invoices", "show", firstId, "--csv"]);
  expect(csv.stdout).toMatch(/^invoiceId,number,.*\r\ninv_\w+,TEST-W-000001,invoice,paid,acme,.*,30\.00,30\.00,/);
  const page = await cli().run(["invoices", "print", firstId]);
  expect(page).toMatchObject({ status: 0, stderr: "" });
  expect(page.stdout).toStartWith("<!doctype html>");
  expect(page.stdout).toContain("<h1>Invoice TEST-W-000001</h1>");
});

test("subscriptions: plans are changed after a preview, canceled and resumed", async () => {
  const preview = () => cli().json<SubscriptionChangePreview>("subscriptions change acme --plan pro --dry-run");
  // The invoice of the current period is void, so nothing of its fee is returned. The credit of 5.00 pays a part.
  expect(await preview()).toMatchObject({ timing: "now", invoice: { total: "90.00", amountDue: "85.00" } });
  await cli().json("metering move-clock sandbox --to 2040-03-01T00:00:00Z");
  const { data } = await cli().json<Page<Invoice>>("invoices list --status open");
  expect(data).toMatchObject([{ total: "30.00", amountDue: "25.00" }]);
  await cli().json(["invoices", "mark-paid", data[0]!.id]);
  expect(await preview()).toMatchObject({ timing: "now", invoice: { total: "60.00", amountDue: "60.00" } });
  expect(await cli().json<Subscription>("subscriptions show acme")).toMatchObject({ planExternalIds: ["gold"] });
  expect((await cli().run("subscriptions change acme")).stderr).toContain("--plan is missing.");
  expect(await cli().json<Subscription>("subscriptions change acme --plan pro")).toMatchObject({
    planExternalIds: ["pro"],
  });

  const rejected = await cli().run("subscriptions resume acme");
  expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining("subscription_not_canceling") });
  const before = await cli().json<Subscription>("subscriptions show acme");
  const canceling = await cli().json<Subscription>("subscriptions cancel acme");
  expect(canceling).toMatchObject({ status: "active", cancelsOn: before.nextBillingCycle });
  expect(await cli().json<Subscription>("subscriptions resume acme")).toEqual(before);
  expect(await cli().json<Subscription>("subscriptions pause acme")).toMatchObject({ status: "inactive" });
  expect(await cli().json<Subscription>("subscriptions resume acme")).toMatchObject({ status: "active" });
  const balance = async () => (await client().customers(bucketId).get("acme")).balances ?? [];
  const rest = await balance();
  expect(await cli().json<Subscription>("subscriptions cancel acme --timing now --refund")).toMatchObject({
    status: "canceled",
  });
  expect(await balance()).not.toEqual(rest);
});

test("plans: prices by options and files, and what was invoiced", async () => {
  const file = `${cli().folder}/rates.json`;
  const requests = { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "0.10" }] };
  await Bun.write(file, JSON.stringify({ requests }));
  const words =
    "--meter requests=100 --rollover requests=50 --price 30.00 --currency EUR --feature sso=true --public true --position 2";
  const plan = await cli().json<Plan>(["plans", "create", "max", "--rates", file, ...words.split(" ")]);
  const price = { currency: "EUR", amount: "30.00", interval: "month" } as const;
  const expected = { price, rates: { requests }, features: { sso: true }, isPublic: true, position: 2 };
  expect(plan.rollover).toEqual({ requests: { maximum: 50, periods: 1 } });
  const carried = await cli().json<Plan>("plans update max --rollover requests=2.5,3");
  expect(carried.rollover).toEqual({ requests: { maximum: 2.5, periods: 3 } });
  for (const wrong of ["requests", "requests=", "requests=x", "requests=5,x", "requests=5,"])
    expect(await cli().run(`plans update max --rollover ${wrong}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("must be METER=MAXIMUM[,PERIODS]"),
    });
  expect(await client().plans(bucketId).get(plan.id)).toMatchObject(expected as Partial<Plan>);
  const yearly =
    "plans update max --price 300 --currency EUR --interval year --clear rates --clear rollover --clear features";
  const changed = await cli().json<Plan>(yearly);
  expect(changed.price).toEqual({ currency: "EUR", amount: "300", interval: "year" });
  for (const field of ["rates", "rollover", "features"]) expect(changed).not.toHaveProperty(field);
  for (const wrong of ["--price 3", "--currency EUR", "--interval year"])
    expect(await cli().run(`plans update max ${wrong}`)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("A price needs an amount and a currency."),
    });
  expect((await cli().run("plans update max --rates none.json")).stderr).toContain("none.json cannot be read.");
  const { data } = await cli().json<Revenue>("invoices revenue --from 2040-01 --to 2040-12");
  expect(data.length).toBeGreaterThan(0);
  expect((await cli().run("invoices revenue --from 2040-01 --to 2040-12")).stdout).toMatch(/^Month +Currency/);
  const recurring = "invoices recurring --from 2040-01 --to 2040-12";
  expect((await cli().run(recurring)).stdout).toMatch(/^Month +Currency +Start +New/);
  expect((await cli().run(`${recurring} --csv`)).stdout).toMatch(/^month,currency,customerKey/);
});

test("subscriptions purchase: a customer pays at the address that is shown", async () => {
  const to = "--return-url https://app.example.com/billing";
  expect((await cli().run(`subscriptions purchase globex ${to}`)).stderr).toContain("--plan is missing.");
  expect((await cli().run("subscriptions purchase globex --plan gold")).stderr).toContain("--return-url is missing.");
  const bought = await cli().json<PurchasedSubscription>(`subscriptions purchase globex --plan gold ${to}`);
  expect(bought.url).toContain("/v1/checkouts/tgco_");
  expect(await cli().json<Subscription>(["subscriptions", "show", bought.subscriptionId])).toMatchObject({
    status: "incomplete",
  });
});

test("packs: created, changed, sold, refunded and deleted, and a top-up", async () => {
  const words =
    "credits create credits --price 10.00 --currency EUR --meter requests --amount 100 --expires-in-days 30";
  const pack = await cli().json<{ id: string }>(words);
  expect(pack).toMatchObject({ grant: { meter: "requests", amount: 100, expiresInDays: 30 }, isPublic: false });
  expect(await cli().json("credits update credits --public true")).toMatchObject({ isPublic: true });
  expect(await cli().json(["credits", "show", pack.id])).toMatchObject({ packExternalId: "credits", isPublic: true });
  expect((await cli().run("credits list")).stdout).toMatch(/credits/);
  const sold = await cli().json<{ purchaseId: string }>("credits sell acme credits --return-url https://acme.example/");
  expect((await cli().run("credits purchases acme")).stdout).toMatch(/credits .*open/);
  const { invoiceId } = await client().packPurchases(bucketId, "acme").get(sold.purchaseId);
  await cli().json(["invoices", "mark-paid", invoiceId]);
  expect(await cli().json(["credits", "refund", "acme", sold.purchaseId])).toMatchObject({ amount: "10.00" });
  expect((await cli().run("grants history acme --order desc --limit 1")).stdout).toMatch(/refunded +-100/);
  expect((await cli().run("grants history acme --all --csv")).stdout).toMatch(/,granted,100,.*prepaid,credits/);
  expect((await cli().run("invoices payments --customer acme --all")).stdout).toMatch(/payment +acme +10\.00 +EUR/);
  expect((await cli().run("invoices payments --csv")).stdout).toMatch(/refund,succeeded,acme,EUR,-10\.00/);
  const topUp = "--top-up-pack credits --top-up-below 50 --top-up-maximum 40.00 --top-up-enabled false";
  expect(await cli().json<Customer>(`customers update acme ${topUp}`)).toMatchObject({
    topUp: { packExternalId: "credits", below: 50, maximumPerMonth: "40.00", isEnabled: false },
  });
  await cli().run("customers update acme --clear topUp");
  await cli().run("credits delete credits --yes");
  expect((await cli().run("credits show credits")).stderr).toMatch(/no credit pack/);
});
