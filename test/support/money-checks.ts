import { expect } from "bun:test";
import { invoicesOf, ok } from "./billing.ts";
import { cents, returnedFee, split } from "./billing-checks.ts";
import type { Client, ClientResponse } from "./client.ts";

type Body = ClientResponse["body"];

interface Seen {
  status: string;
  amountDue: bigint;
  fromCredits: bigint;
  credited: bigint;
}

const money = (amount: string | undefined) => cents(amount ?? "0.00");
const added = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/**
 * Follows what a customer has paid and got back, from what the interface shows after each step. Grants without an invoice
 * are those of an operator, and those that are paid count as received.
 */
export class MoneyBook {
  readonly #seen = new Map<string, Seen>();
  readonly #payments = new Map<string, bigint>();

  constructor(
    private readonly client: Client,
    private readonly bucket: string,
  ) {}

  /**
   * Expects that no invoice, no fee and not the customer got back more than was received.
   * @param refundable what could still be refunded of credit packs
   */
  async expectReceived(refundable = 0n): Promise<void> {
    const documents = await invoicesOf(this.client, this.bucket, "?limit=1000");
    const [notes, invoices] = split(documents, ({ type }) => type === "credit-note");
    const { data: grants } = await ok(this.client.get(`${this.bucket}/customers/acme/grants?limit=1000`));
    const moneyGrants = grants.filter((each: Body) => each.currency !== undefined);
    for (const invoice of invoices) if (invoice.status !== "draft") this.#follow(invoice);
    const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
    for (const invoice of invoices) {
      const its = notes.filter(({ correctsId }) => correctsId === invoice.id);
      const back = moneyGrants.filter((each: Body) => each.invoiceId === invoice.id && !isUsage(each));
      // What a pack sells is not a return of its price.
      const [, returned] = split(back as Body[], ({ purchaseId }) => purchaseId && purchaseId === invoice.purchaseId);
      this.#expectInvoice(invoice, its, returned, byId);
    }
    const [own, granted] = split(moneyGrants as Body[], (each) => each.invoiceId === undefined);
    const paid = (each: Body) => each.funding === "paid";
    const received = added([...this.#payments.values()]) + added(own.filter(paid).map((each) => cents(each.amount)));
    const left = added([...own, ...granted].filter(paid).map((each) => cents(each.balance)));
    expect(left + refundable + added(notes.map(refundOf)) <= received).toBe(true);
  }

  /** What was paid of an invoice since the last step: what was due without what grants and credit notes paid. */
  #follow(invoice: Body): void {
    const { id, status, total } = invoice;
    const none = { status: "none", amountDue: cents(total), fromCredits: 0n, credited: 0n };
    const before = this.#seen.get(id) ?? none;
    const now = {
      status,
      amountDue: cents(invoice.amountDue),
      fromCredits: money(invoice.fromCredits),
      credited: money(invoice.credited),
    };
    if (status === "paid" && before.status !== "paid") {
      const rest = before.amountDue - (now.fromCredits - before.fromCredits) - (now.credited - before.credited);
      this.#payments.set(id, rest > 0n ? rest : 0n);
    }
    this.#seen.set(id, now);
  }

  #expectInvoice(invoice: Body, notes: Body[], back: Body[], byId: Map<string, Body>): void {
    const { id, lines, total, tax, credited, netted } = invoice;
    const [paid, promotional] = split(back, ({ funding }) => funding === "paid");
    // Credits of former fees, with the tax of their invoices. Each is rounded.
    const former = lines.filter(({ credits }: Body) => credits && credits.invoiceId !== id);
    const nettedHere = added(
      former.map(({ amount, credits }: Body) => 1n + withTax(-cents(amount), byId.get(credits.invoiceId), byId)),
    );
    const received = (this.#payments.get(id) ?? 0n) + money(invoice.fromCredits) + nettedHere;
    const returned = added(paid.map(({ amount }) => cents(amount))) + added(notes.map(refundOf)) + money(netted);
    // Money of packs also reduces an invoice before tax.
    const promised = lines.filter(({ funding }: Body) => funding !== undefined);
    const promotionalIn = -added(promised.map(({ amount }: Body) => cents(amount)));
    const promotionalOut = added(promotional.map(({ amount }) => cents(amount)));
    expect({ id, isMore: returned > received, isMorePromotional: promotionalOut > promotionalIn }).toEqual({
      id,
      isMore: false,
      isMorePromotional: false,
    });
    for (const document of [invoice, ...notes]) {
      expect(added(document.lines.filter(addsUp).map((line: Body) => cents(line.amount)))).toBe(cents(document.total));
      expect(cents(document.subtotal) + cents(document.tax)).toBe(cents(document.total));
      expect(document.taxBehavior).toBe(invoice.taxBehavior);
      const isUntaxed = (document.buyer?.taxStatus ?? "taxable") !== "taxable";
      expect({ isUntaxed, hasNote: document.taxNote !== undefined }).toEqual({ isUntaxed, hasNote: isUntaxed });
      if (isUntaxed) expect(document.tax).toBe("0.00");
    }
    // Credit notes add up, with their taxes. One whose refund of a pack failed is void.
    const valid = notes.filter(({ status }) => status !== "void");
    expect(added(valid.map((note) => cents(note.total)))).toBe(money(credited));
    const creditedTax = added(valid.map((note) => cents(note.tax)));
    expect(money(credited) <= cents(total)).toBe(true);
    if (money(credited) === cents(total)) expect(creditedTax).toBe(cents(tax));
    else expect(creditedTax <= cents(tax)).toBe(true);
    // Later invoices also net usage that turned out to cost less.
    const netsUsage = [...byId.values()].some((other) =>
      other.lines.some(({ credits, meter }: Body) => credits?.invoiceId === id && meter !== undefined),
    );
    const isNetted = (line: Body) => isFee(line) || (netsUsage && line.kind === "overage");
    const fee = added(lines.filter(isNetted).map(({ amount }: Body) => cents(amount)));
    const ofFee = back.filter(({ reason }) => reason === returnedFee);
    const [feePaid, feePromotional] = split(ofFee, ({ funding }) => funding === "paid");
    const feeReturned =
      added(feePaid.map(({ amount }) => withoutTax(cents(amount), lines))) +
      withoutTax(money(netted), lines) +
      added(feePromotional.map(({ amount }) => cents(amount)));
    // Each part is rounded.
    if (!hasOnlyFormerTax(lines)) expect(feeReturned <= fee + BigInt(ofFee.length + 1)).toBe(true);
  }
}

/** Money for usage that is not billed any more: the ledger check compares it with what was consumed. */
const isUsage = ({ reason }: Body) => reason?.startsWith("Returned") ?? false;

const isFee = ({ kind, amount }: Body) => (kind === "plan" || kind === "proration") && cents(amount) > 0n;

function refundOf({ refund }: Body): bigint {
  return refund?.state === "succeeded" ? cents(refund.amount) : 0n;
}

/** An invoice whose amount is 0 shows no tax, though credits of former fees had one. */
function hasOnlyFormerTax(lines: Body[]): boolean {
  return !lines.some(({ kind }) => kind === "tax") && lines.some(({ credits }) => credits !== undefined);
}

/** Taxes that prices include do not add to the total. */
const addsUp = ({ isIncluded }: Body) => !isIncluded;

function withTax(amount: bigint, { id, lines }: Body, byId: Map<string, Body>): bigint {
  const former = lines.find(({ credits }: Body) => credits && credits.invoiceId !== id)?.credits;
  const [taxes, others] = split(lines as Body[], ({ kind }) => kind === "tax");
  if (taxes.length === 0 && former) return withTax(amount, byId.get(former.invoiceId), byId);
  const net = added(others.map((line) => cents(line.amount)));
  const tax = added(taxes.filter(addsUp).map((line) => cents(line.amount)));
  return net <= 0n ? amount : (amount * (net + tax)) / net;
}

function withoutTax(amount: bigint, lines: Body[]): bigint {
  const [taxes, others] = split(lines, ({ kind }) => kind === "tax");
  const net = added(others.map((line) => cents(line.amount)));
  const tax = added(taxes.filter(addsUp).map((line) => cents(line.amount)));
  return net <= 0n || net + tax <= 0n ? amount : (amount * net) / (net + tax);
}
