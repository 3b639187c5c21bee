import fc from "fast-check";
import { invoicesOf, ok, setProfile } from "./billing.ts";
import { cents } from "./billing-checks.ts";
import { day, type Run, type Step } from "./billing-run.ts";
import type { Client, ClientResponse } from "./client.ts";

type Body = ClientResponse["body"];

/** What happens to payments. `which` selects one of the invoices to which it can happen. */
export type MoneyStep =
  | { kind: "method"; behavior: "succeeds" | "fails" | "needs-action" }
  | { kind: "country"; country: "DE" | "AT" | "CH" }
  | { kind: "tax-status"; status: "taxable" | "reverse-charge" | "exempt" }
  | { kind: "tax-behavior"; behavior: "exclusive" | "inclusive" }
  | { kind: "mark-paid" | "void" | "mark-uncollectible" | "collect" | "confirm"; which: number }
  | { kind: "credit"; which: number; percent: number; isNamed: boolean; to: "balance" | "payment-method" };

const which = fc.nat({ max: 20 });
export const moneyStep: fc.Arbitrary<MoneyStep> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("method" as const),
      behavior: fc.constantFrom("succeeds" as const, "fails" as const, "needs-action" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("country" as const),
      country: fc.constantFrom("DE" as const, "AT" as const, "CH" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("tax-status" as const),
      status: fc.constantFrom("taxable" as const, "reverse-charge" as const, "exempt" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("tax-behavior" as const),
      behavior: fc.constantFrom("exclusive" as const, "inclusive" as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "mark-paid" as const,
        "void" as const,
        "mark-uncollectible" as const,
        "collect" as const,
        "confirm" as const,
      ),
      which,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("credit" as const),
      which,
      percent: fc.oneof(fc.constant(100), fc.integer({ min: 1, max: 100 })),
      isNamed: fc.boolean(),
      to: fc.constantFrom("balance" as const, "payment-method" as const),
    }),
  },
);

/** What leads to renewals, and to usage beyond the maximum after them. */
export const renewingStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("advance" as const), milliseconds: fc.integer({ min: 5 * day, max: 20 * day }) }),
  fc.record({
    kind: fc.constant("event" as const),
    amount: fc.integer({ min: 50, max: 250 }),
    late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 * day })),
  }),
);

/** What returns fees, and charges new ones. */
export const returningStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      plan: fc.integer({ min: 0, max: 2 }),
      timing: fc.constant("now" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("refund" as const, "restart" as const) }) },
);

const kinds = new Set([
  "method",
  "country",
  "tax-status",
  "tax-behavior",
  "mark-paid",
  "void",
  "mark-uncollectible",
  "collect",
  "confirm",
  "credit",
]);
const isMoneyStep = (step: Step | MoneyStep): step is MoneyStep => kinds.has(step.kind);

/** Customers without an address have no taxes. */
export function setTaxes(client: Client, taxBehavior: "exclusive" | "inclusive"): Promise<Body> {
  const taxRates = [
    { name: "VAT", percentage: "19", country: "DE" },
    { name: "VAT", percentage: "10", country: "AT" },
  ];
  return setProfile(client, { termsDays: 365, graceDays: 365, taxRates, taxBehavior });
}

/** A subscription to whose invoices and payments anything happens. */
export class MoneyRun {
  constructor(
    private readonly client: Client,
    readonly run: Run,
  ) {}

  async do(step: Step | MoneyStep): Promise<void> {
    if (!isMoneyStep(step)) await this.run.do(step);
    else if (step.kind === "method") await this.#setMethod(step.behavior);
    else if (step.kind === "country") await this.#move(step.country);
    else if (step.kind === "tax-status") await ok(this.client.patch(this.#customer, { taxStatus: step.status }));
    else if (step.kind === "tax-behavior") await setTaxes(this.client, step.behavior);
    else if (step.kind === "credit") await this.#credit(step);
    else await this.#act(step.kind, step.which);
  }

  get #customer(): string {
    return `${this.run.bucket}/customers/acme`;
  }

  async #setMethod(behavior: string): Promise<void> {
    const method = JSON.stringify({ type: "sandbox", behavior });
    await ok(this.client.raw("PUT", `${this.#customer}/payment-method`, method));
  }

  async #move(country: string): Promise<void> {
    await ok(this.client.patch(this.#customer, { address: { line1: "1 High St", country } }));
  }

  async #select(which: number, isPossible: (invoice: Body) => boolean): Promise<Body | undefined> {
    const all = await invoicesOf(this.client, this.run.bucket);
    const possible = all.filter((each) => each.type === "invoice" && isPossible(each));
    return possible[which % possible.length];
  }

  async #act(kind: string, which: number): Promise<void> {
    const statuses = kind === "mark-paid" || kind === "void" ? ["open", "uncollectible"] : ["open"];
    const invoice = await this.#select(which, ({ status }) => statuses.includes(status));
    if (!invoice) return;
    const { status } = await this.client.post(`${this.run.bucket}/invoices/${invoice.id}/$${kind}`);
    // Only a payment method that needs an action can be confirmed.
    if (status !== 200 && !(kind === "confirm" && status === 409)) throw new Error(`$${kind} is ${status}`);
  }

  async #credit({ which, percent, isNamed, to }: MoneyStep & { kind: "credit" }): Promise<void> {
    const invoice = await this.#select(which, ({ status }) => ["open", "paid", "uncollectible"].includes(status));
    if (!invoice) return;
    const { total, credited = "0.00", netted = "0.00", id } = invoice;
    const amount = ((cents(total) - cents(credited) - cents(netted)) * BigInt(percent)) / 100n;
    if (amount <= 0n) return;
    const line = isNamed ? invoice.lines.findIndex(({ kind }: Body) => kind === "plan" || kind === "overage") : -1;
    const decimal = (Number(amount) / 100).toFixed(2);
    const named = { description: "Sorry", amount: decimal, ...(line < 0 ? {} : { line }) };
    const { status } = await this.client.post(`${this.run.bucket}/invoices/${id}/$credit`, { lines: [named], to });
    // The line may be smaller than the amount, and the method may have paid nothing.
    if (status !== 400 && status !== 409 && status !== 200) throw new Error(`A credit is ${status}`);
  }
}
