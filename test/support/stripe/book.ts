import type { Stripe } from "stripe";
import { newSession, newSetupIntent } from "./checkout-objects.ts";
import {
  listOf,
  newCreditNote,
  newCustomer,
  newDispute,
  newInvoice,
  newInvoicePayment,
  newItem,
  newPaymentIntent,
  newRefund,
  type WireItem,
} from "./objects.ts";
import { invalidRequest, missing } from "./parameters.ts";

/** Payment methods whose payments succeed, fail, need a second step of the customer, or take days. */
export const methods = {
  succeeds: "pm_succeeds",
  fails: "pm_fails",
  needsAction: "pm_needs_action",
  takesDays: "pm_takes_days",
} as const;

export interface ChargeRecord {
  invoice: string;
  /** The id of our invoice. */
  ours: string | undefined;
  amount: number;
}

/** What exists at Stripe: the objects, and the money that was charged. */
export class Book {
  readonly customers = new Map<string, Stripe.Customer>();
  readonly deletedCustomers = new Set<string>();
  readonly invoices = new Map<string, Stripe.Invoice>();
  readonly items = new Map<string, WireItem>();
  readonly creditNotes: Stripe.CreditNote[] = [];
  readonly refunds: Stripe.Refund[] = [];
  readonly disputes: Stripe.Dispute[] = [];
  rejectsRefunds = false;
  readonly intents = new Map<string, Stripe.PaymentIntent>();
  readonly sessions = new Map<string, Stripe.Checkout.Session>();
  /** The card and the address of payment methods, as they were entered at a page. */
  readonly entered = new Map<string, { expires?: [year: number, month: number]; billing?: Stripe.Address }>();
  readonly setupIntents = new Map<string, Stripe.SetupIntent>();
  readonly charges: ChargeRecord[] = [];
  readonly events: Stripe.Event[] = [];
  /** Payment methods that were declined before, and are not any more. */
  readonly funded = new Set<string>();
  /** The default payment method of new customers. */
  defaultMethod: string | null = methods.succeeds;
  #ids = 0;

  constructor(
    private readonly now: () => number,
    private readonly apiVersion: string,
  ) {}

  get seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_${String(this.#ids).padStart(6, "0")}`;
  }

  /** Of a kind whose object the package knows; the event is sent by the test. */
  emit(type: string, object: object, livemode: boolean): void {
    const event = {
      id: this.newId("evt"),
      object: "event" as const,
      api_version: this.apiVersion,
      created: this.seconds,
      data: { object: structuredClone(object) },
      livemode,
      pending_webhooks: 1,
      request: null,
      type,
    };
    this.events.push(event as unknown as Stripe.Event);
  }

  createCustomer(livemode: boolean): Stripe.Customer {
    const customer = newCustomer(this.newId("cus"), this.seconds, livemode);
    customer.invoice_settings.default_payment_method = this.defaultMethod;
    this.customers.set(customer.id, customer);
    return customer;
  }

  customer(id: string, param = "customer"): Stripe.Customer {
    const found = this.customers.get(id);
    if (!found) throw missing("customer", id, param);
    return found;
  }

  deleteCustomer(id: string): void {
    this.customers.delete(id);
    this.deletedCustomers.add(id);
  }

  createSession(customer: Stripe.Customer): Stripe.Checkout.Session {
    const session = newSession(this.newId("cs"), customer, this.seconds);
    this.sessions.set(session.id, session);
    return session;
  }

  /** The customer enters a payment method. */
  completeSession(session: Stripe.Checkout.Session, method: string, details?: { name: string; taxId: string }): void {
    const customer = this.customer(session.customer as string);
    const intent = newSetupIntent(this.newId("seti"), customer, method, this.seconds);
    this.setupIntents.set(intent.id, intent);
    if (details && session.tax_id_collection?.enabled) {
      const tax_ids = [{ type: "eu_vat" as const, value: details.taxId }];
      const texts = { address: null, business_name: details.name, email: null, individual_name: null, phone: null };
      session.customer_details = { ...texts, name: details.name, tax_exempt: null, tax_ids };
    }
    session.status = "complete";
    session.setup_intent = intent.id;
    this.emit("checkout.session.completed", session, session.livemode);
  }

  /** `complete` sets what the event contains too. */
  createInvoice(
    customer: Stripe.Customer,
    currency: string,
    complete: (invoice: Stripe.Invoice) => void,
  ): Stripe.Invoice {
    const invoice = newInvoice(this.newId("in"), customer, currency, this.seconds);
    complete(invoice);
    this.invoices.set(invoice.id, invoice);
    this.emit("invoice.created", invoice, invoice.livemode);
    return invoice;
  }

  invoice(id: string, param = "invoice"): Stripe.Invoice {
    const found = this.invoices.get(id);
    if (!found) throw missing("invoice", id, param);
    return found;
  }

  draft(id: string): Stripe.Invoice {
    const invoice = this.invoice(id);
    if (invoice.status !== "draft")
      throw invalidRequest("This invoice can no longer be edited", "invoice_not_editable");
    return invoice;
  }

  createItem(invoice: Stripe.Invoice, amount: number): WireItem {
    const item = newItem(this.newId("ii"), invoice, amount, this.seconds);
    this.items.set(item.id, item);
    this.total(invoice);
    return item;
  }

  total(invoice: Stripe.Invoice): void {
    const total = this.itemsOf(invoice.id).reduce((sum, { amount }) => sum + amount, 0);
    Object.assign(invoice, { total, subtotal: total, amount_due: total, amount_remaining: total });
  }

  itemsOf(invoice: string): WireItem[] {
    return [...this.items.values()].filter((item) => item.invoice === invoice);
  }

  finalize(id: string, autoAdvance: boolean): Stripe.Invoice {
    const invoice = this.invoice(id);
    if (invoice.status !== "draft") throw invalidRequest("This invoice is already finalized", "invoice_not_editable");
    invoice.status = "open";
    invoice.number = `STRIPE-${invoice.id.slice(3)}`;
    invoice.hosted_invoice_url = `https://invoice.stripe.example/i/${invoice.id}`;
    invoice.status_transitions.finalized_at = this.seconds;
    invoice.auto_advance = autoAdvance;
    this.emit("invoice.finalized", invoice, invoice.livemode);
    if (autoAdvance) this.attempt(invoice);
    return invoice;
  }

  payable(invoice: Stripe.Invoice): void {
    if (invoice.status !== "open" && invoice.status !== "uncollectible")
      throw invalidRequest("Invoice is already paid", "invoice_already_paid");
  }

  /** A payment that is processed cannot be stopped. */
  idle(invoice: Stripe.Invoice): void {
    for (const { payment } of invoice.payments?.data ?? [])
      if (this.intents.get(payment.payment_intent as string)?.status === "processing")
        throw invalidRequest("The invoice has a payment that is processing");
  }

  /** A bank debit fails after days. */
  bounce(invoice: Stripe.Invoice): void {
    this.#payment(invoice, "requires_payment_method");
    this.emit("invoice.payment_failed", invoice, invoice.livemode);
  }

  /** Stripe tries to collect the invoice from the customer's default payment method. */
  attempt(invoice: Stripe.Invoice, chosen?: string): void {
    this.payable(invoice);
    const method = chosen ?? this.customer(invoice.customer as string).invoice_settings.default_payment_method;
    invoice.attempt_count += 1;
    invoice.attempted = true;
    if (method === methods.succeeds || this.funded.has(method as string)) this.settle(invoice);
    else {
      const [status, type] =
        method === methods.needsAction
          ? (["requires_action", "invoice.payment_action_required"] as const)
          : method === methods.takesDays
            ? (["processing", undefined] as const)
            : (["requires_payment_method", "invoice.payment_failed"] as const);
      this.#payment(invoice, status);
      if (type) this.emit(type, invoice, invoice.livemode);
    }
  }

  /** The customer pays what remains. */
  settle(invoice: Stripe.Invoice): void {
    this.payable(invoice);
    this.#payment(invoice, "succeeded");
    const ours = invoice.metadata?.tollgate_invoice;
    this.charges.push({ invoice: invoice.id, ours, amount: invoice.amount_remaining });
    this.markPaid(invoice, invoice.amount_remaining);
  }

  markPaid(invoice: Stripe.Invoice, amount: number): void {
    invoice.status = "paid";
    invoice.amount_paid += amount;
    invoice.amount_remaining = 0;
    invoice.status_transitions.paid_at = this.seconds;
    this.emit("invoice.paid", invoice, invoice.livemode);
  }

  #payment(invoice: Stripe.Invoice, status: Stripe.PaymentIntent.Status): void {
    const intent = newPaymentIntent(this.newId("pi"), invoice, status, this.seconds);
    this.intents.set(intent.id, intent);
    const payment = newInvoicePayment(this.newId("inpay"), invoice, intent, this.seconds);
    invoice.payments = listOf([payment], `/v1/invoice_payments?invoice=${invoice.id}`);
  }

  void(invoice: Stripe.Invoice): void {
    if (invoice.status !== "open" && invoice.status !== "uncollectible")
      throw invalidRequest("You can only void open invoices");
    this.idle(invoice);
    invoice.status = "void";
    invoice.status_transitions.voided_at = this.seconds;
    this.emit("invoice.voided", invoice, invoice.livemode);
  }

  giveUp(invoice: Stripe.Invoice): void {
    if (invoice.status !== "open") throw invalidRequest("You can only mark open invoices as uncollectible");
    this.idle(invoice);
    invoice.status = "uncollectible";
    invoice.status_transitions.marked_uncollectible_at = this.seconds;
    this.emit("invoice.marked_uncollectible", invoice, invoice.livemode);
  }

  /** Of a paid invoice: what is returned to the payment method and elsewhere adds up to the amount. */
  creditPaid(invoice: Stripe.Invoice, amount: number, refund = 0, outOfBand = 0): Stripe.CreditNote {
    if (refund + outOfBand !== amount)
      throw invalidRequest("The sum of refund, credit and out of band amounts must equal the post payment amount");
    const taken = this.charges
      .filter((each) => each.invoice === invoice.id)
      .reduce((sum, charge) => sum + charge.amount, 0);
    const returned = this.creditNotes.filter((note) => note.invoice === invoice.id);
    const sum = (amounts: (number | null)[]) => amounts.reduce<number>((total, each) => total + (each ?? 0), 0);
    const refunded = sum(this.refundsOf(invoice).map((each) => each.amount));
    const linked = sum(returned.flatMap((note) => note.refunds.map((each) => each.amount_refunded)));
    if (refund > 0 && (this.rejectsRefunds || refund > taken - refunded))
      throw invalidRequest("The refund exceeds the charge", "charge_already_refunded", "refund_amount");
    // Refunds without a credit note reduce what can be credited too.
    if (amount > invoice.total - sum(returned.map((note) => note.amount)) - (refunded - linked))
      throw invalidRequest("The amount is too large", "amount_too_large", "amount");
    const note = newCreditNote(this.newId("cn"), invoice, amount, this.seconds);
    Object.assign(note, { type: "post_payment", pre_payment_amount: 0, post_payment_amount: amount });
    note.out_of_band_amount = outOfBand === 0 ? null : outOfBand;
    if (refund > 0) this.#link(note, this.#refund(invoice, refund), refund);
    this.creditNotes.push(note);
    invoice.post_payment_credit_notes_amount += amount;
    return note;
  }

  refundsOf(invoice: Stripe.Invoice): Stripe.Refund[] {
    const intents = (invoice.payments?.data ?? []).map(({ payment }) => payment.payment_intent);
    return this.refunds.filter(({ payment_intent }) => intents.includes(payment_intent as string));
  }

  #refund(invoice: Stripe.Invoice, amount: number): Stripe.Refund {
    const refund = newRefund(this.newId("re"), invoice, amount, this.seconds);
    this.refunds.push(refund);
    return refund;
  }

  #link(note: Stripe.CreditNote, { id }: Stripe.Refund, amount: number): void {
    note.refunds.push({ amount_refunded: amount, payment_record_refund: null, refund: id, type: "refund" });
  }

  /** In the dashboard, the charge is refunded without a credit note. */
  refundCharge(invoice: Stripe.Invoice, amount: number): Stripe.Refund {
    const refund = this.#refund(invoice, amount);
    this.emit("refund.created", refund, invoice.livemode);
    return refund;
  }

  /** The customer's bank asks about a payment, or demands it back. */
  dispute(invoice: Stripe.Invoice, status: Stripe.Dispute.Status = "needs_response"): Stripe.Dispute {
    const dispute = newDispute(this.newId("dp"), invoice, invoice.amount_paid, this.seconds);
    dispute.status = status;
    this.disputes.push(dispute);
    this.emit("charge.dispute.created", dispute, invoice.livemode);
    return dispute;
  }

  updateDispute(dispute: Stripe.Dispute, status: Stripe.Dispute.Status): void {
    dispute.status = status;
    this.emit("charge.dispute.updated", dispute, dispute.livemode);
  }

  /** In the dashboard, a credit note is created that refunds, or to which a part of an earlier refund belongs. */
  creditInDashboard(invoice: Stripe.Invoice, amount: number, earlier?: Stripe.Refund): Stripe.CreditNote {
    const note = newCreditNote(this.newId("cn"), invoice, amount, this.seconds);
    Object.assign(note, { type: "post_payment", pre_payment_amount: 0, post_payment_amount: amount });
    this.#link(note, earlier ?? this.#refund(invoice, amount), amount);
    this.creditNotes.push(note);
    this.emit("credit_note.created", note, invoice.livemode);
    return note;
  }

  credit(invoice: Stripe.Invoice, amount: number): Stripe.CreditNote {
    if (invoice.status !== "open") throw invalidRequest("The invoice is not open");
    this.idle(invoice);
    if (amount > invoice.amount_remaining)
      throw invalidRequest("The amount is too large", "amount_too_large", "amount");
    const note = newCreditNote(this.newId("cn"), invoice, amount, this.seconds);
    this.creditNotes.push(note);
    invoice.pre_payment_credit_notes_amount += amount;
    invoice.amount_due -= amount;
    invoice.amount_remaining -= amount;
    if (invoice.amount_remaining === 0) this.markPaid(invoice, 0);
    return note;
  }
}
