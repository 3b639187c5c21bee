import { beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { invoicesOf, monthly, ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { createPlan, newMeteringBucket } from "../../../../../../../test/support/metering.ts";
import { methods } from "../../../../../../../test/support/stripe/book.ts";
import { hour, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";
import type { Fault, Received } from "../../../../../../../test/support/stripe/stripe-server.ts";

/** What happens between two calls of Stripe: to our invoice, or to that of Stripe. */
const kinds = [
  "repeat",
  "cancel",
  "give up",
  "credit",
  "mark paid",
  "void",
  "collect",
  "grant",
  "pay at Stripe",
] as const;

type Kind = (typeof kinds)[number] | "expire";

interface Change {
  kind: Kind;
  /** Before which call about an invoice it happens, counted from the change before. */
  calls: number;
}

/** A purchase of one customer, and what happens to it. */
interface Scenario {
  method: string;
  changes: Change[];
  faults: Fault[];
}

/** A change before each call: those that create, complete, finalize and read the invoice, and some after that. */
const callsUntilEnd = 6;

const eachCall = (kind: Kind, method: string): Scenario[] =>
  Array.from({ length: callsUntilEnd }, (_, index) => ({
    method,
    changes: [{ kind, calls: index + 1 }],
    faults: [],
  }));

const anyFault = fc.constantFrom<Fault>("none", "lost-request", "lost-response", "late", "error", "error-after");

const anyScenario: fc.Arbitrary<Scenario> = fc.record({
  method: fc.constantFrom(...Object.values(methods), methods.succeeds),
  changes: fc.array(
    fc.record({ kind: fc.constantFrom<Kind>(...kinds), calls: fc.integer({ min: 1, max: callsUntilEnd }) }),
    { minLength: 1, maxLength: 3 },
  ),
  faults: fc.array(anyFault, { maxLength: 10 }),
});

const cents = (amount: string | undefined) => Math.round(Number(amount ?? 0) * 100);

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, clock, chargesOf, remoteOf, later } = scene;
  beforeEach(() => {
    stripe.book.defaultMethod = null;
  });

  /** A purchase that is paid at Stripe while its scenario happens. */
  class Sale {
    /** Money that the customer gave us outside of Stripe. */
    given = 0;
    readonly changes: Change[];
    readonly faults: Fault[];

    constructor(
      private readonly bucket: string,
      readonly key: string,
      private readonly scenario: Scenario,
    ) {
      this.changes = scenario.changes.map((each) => ({ ...each }));
      this.faults = [...scenario.faults];
    }

    buy() {
      const body = { customerKey: this.key, planExternalIds: ["gold"], returnUrl: "https://shop.example/" };
      return scene.client.post(`${this.bucket}/subscriptions/$purchase`, body);
    }

    /** Enters the payment method. Returns the id of the customer at Stripe. */
    async checkOut(): Promise<string> {
      const { url } = await ok(this.buy());
      await fetch(scene.server.url + new URL(url).pathname, { redirect: "manual" });
      const session = [...stripe.book.sessions.values()].at(-1)!;
      stripe.book.completeSession(session, this.scenario.method);
      return session.customer as string;
    }

    /** Happens before each call about an invoice of the customer. */
    async next(): Promise<Fault> {
      const [first] = this.changes;
      if (first) first.calls -= 1;
      if (first?.calls === 0) {
        this.changes.shift();
        await this.change(first.kind);
      }
      return this.faults.shift() ?? "none";
    }

    async invoices(): Promise<Record<string, string>[]> {
      const all = await invoicesOf(scene.client, this.bucket, `?customerKey=${this.key}`);
      return all.filter(({ type }: { type: string }) => type === "invoice");
    }

    /** Changes something, if that is possible now. */
    async change(kind: Kind): Promise<void> {
      const { client } = scene;
      const { id, subscriptionId } = (await this.invoices()).at(-1)!;
      const invoice = `${this.bucket}/invoices/${id}`;
      const post = (action: string, body?: object) => this.#attempt(client.post(`${invoice}/${action}`, body));
      if (kind === "repeat") await this.#attempt(this.buy());
      else if (kind === "cancel")
        await this.#attempt(client.patch(`${this.bucket}/subscriptions/${subscriptionId}`, { status: "canceled" }));
      else if (kind === "expire") clock.advance(25 * hour);
      else if (kind === "give up") await post("$mark-uncollectible");
      else if (kind === "credit") await post("$credit", { lines: [{ description: "Outage", amount: "10.00" }] });
      else if (kind === "void") await post("$void");
      else if (kind === "collect") await post("$collect");
      else if (kind === "mark paid") {
        const paid = await post("$mark-paid", { reference: "transfer" });
        if (paid) this.given += cents(paid.total) - cents(paid.credited) - cents(paid.fromCredits);
      } else if (kind === "grant") {
        const grant = { currency: "EUR", amount: "12.00", funding: "paid" };
        await ok(client.post(`${this.bucket}/customers/${this.key}/grants`, grant));
        this.given += 1200;
      } else if (remoteOf(id!)?.status === "open") stripe.book.settle(remoteOf(id!));
    }

    async #attempt(sent: ReturnType<typeof scene.client.post>) {
      const { status, body, text } = await sent;
      expect({ text, isExpected: status === 200 || status === 409 }).toEqual({ text, isExpected: true });
      return status === 200 ? body : undefined;
    }

    /** A bank debit arrives, or fails. */
    async endDebit(arrives: boolean): Promise<void> {
      for (const { id } of await this.invoices()) {
        const remote = remoteOf(id!);
        const intent = stripe.book.intents.get(remote?.payments?.data[0]?.payment.payment_intent as string);
        if (intent?.status !== "processing") continue;
        if (arrives) stripe.book.settle(remote);
        else stripe.book.bounce(remote);
      }
    }

    /** Returns what Stripe took, after a comparison with what our books have. */
    async taken(): Promise<number> {
      const { data: grants } = await ok(scene.client.get(`${this.bucket}/customers/${this.key}/grants`));
      let taken = 0;
      let books = grants.reduce((sum: number, { balance }: { balance: string }) => sum + cents(balance), 0);
      const states: string[] = [];
      for (const { id, status, total, credited, amountDue } of await this.invoices()) {
        const charged = chargesOf(id!);
        expect(charged.length).toBeLessThanOrEqual(1);
        taken += charged.reduce((sum, amount) => sum + amount, 0);
        if (status !== "void") books += cents(total) - cents(credited) - cents(amountDue);
        states.push(`${status} here, ${remoteOf(id!)?.status ?? "none"} there`);
      }
      const { given, scenario } = this;
      expect({ scenario, taken, given, books }).toEqual({ scenario, taken, given, books: taken + given });
      for (const state of states) expect(possible).toContain(state);
      return taken;
    }
  }

  const possible = [
    ...["none", "void", "paid"].map((there) => `void here, ${there} there`),
    ...["none", "paid"].map((there) => `paid here, ${there} there`),
    ...["none", "uncollectible"].map((there) => `uncollectible here, ${there} there`),
    "open here, open there",
  ];

  /** All at the same time, so that a hundred take as long as a few. */
  async function happen(scenarios: Scenario[]): Promise<Sale[]> {
    const bucket = await newMeteringBucket(scene.client);
    await createPlan(scene.client, bucket, { planExternalId: "gold", ...monthly("30.00") });
    const sales = new Map<string, Sale>();
    for (const [index, scenario] of scenarios.entries()) {
      const sale = new Sale(bucket, `customer-${index}`, scenario);
      sales.set(await sale.checkOut(), sale);
    }
    const all = [...sales.values()];
    const saleOf = ({ path, body }: Received) => {
      const invoice = stripe.book.invoices.get(/\bin_\w+/.exec(path)?.[0] ?? "");
      return sales.get((invoice?.customer as string) ?? /customer=(cus_\w+)/.exec(path + body)?.[1] ?? "");
    };
    stripe.fault = async (request) =>
      (request.path.startsWith("/v1/invoices") && (await saleOf(request)?.next())) || "none";
    const isBusy = () => all.some(({ changes, faults }) => changes.length > 0 || faults.length > 0);
    for (let round = 0; round < 6 && isBusy(); round += 1) await later(70_000);
    stripe.fault = () => "none";
    // Of sales that ended before.
    for (const sale of all) for (const { kind } of sale.changes.splice(0)) await sale.change(kind);
    // What was begun ends, and a purchase that waited for another one is charged.
    for (let round = 0; round < 3; round += 1) await later(hour);
    // Purchases expire, and are void at Stripe before they are void here.
    for (const hours of [25, 2, 7]) await later(hours * hour);
    for (const [index, sale] of all.entries()) await sale.endDebit(index % 2 === 0);
    for (const hours of [7, 2, 7]) await later(hours * hour);
    return all;
  }

  // PostgreSQL differs by what overlaps, not by which changes are possible.
  const isThorough = engine.name === "sqlite";

  for (const method of isThorough ? [methods.succeeds, methods.takesDays, methods.fails] : [])
    test(`what Stripe took is what our books have, whatever changes before any call: ${method}`, async () => {
      for (const sale of await happen(kinds.flatMap((kind) => eachCall(kind, method)))) await sale.taken();
    });

  test("purchases that expire between two calls", async () => {
    // Of two bank debits one arrives, and the other one fails after its purchase has expired.
    const debits = eachCall("expire", methods.takesDays).slice(0, isThorough ? callsUntilEnd : 2);
    const sales = await happen([...eachCall("expire", methods.succeeds), ...debits]);
    for (const sale of sales) await sale.taken();
    const statuses = (await Promise.all(sales.map((sale) => sale.invoices()))).flat().map(({ status }) => status);
    expect(statuses).toContain("void");
    expect(statuses).not.toContain("open");
  });

  test("several changes, and calls that fail", async () => {
    for (const sale of await happen(fc.sample(anyScenario, isThorough ? 40 : 12))) await sale.taken();
  });

  test("a purchase that is repeated before any call, while calls fail, is charged once", async () => {
    const failing = fc.sample(fc.array(anyFault, { maxLength: 10 }), (isThorough ? 2 : 1) * callsUntilEnd);
    const repeated = eachCall("repeat", methods.succeeds);
    const scenarios = failing.map((faults, index) => ({ ...repeated[index % callsUntilEnd]!, faults }));
    for (const sale of await happen(scenarios)) expect(await sale.taken()).toBe(3000);
  });
});
