import type { List, PageOptions } from "../transport/list.ts";
import type { CreateOptions, RequestOptions } from "../transport/options.ts";
import type { Invoice, InvoiceCredit, InvoicePayment, Revenue } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export interface ListInvoicesOptions extends PageOptions, RequestOptions {
  customerKey?: string | undefined;
  /** Up to 100 customers. */
  customerKeys?: string[] | undefined;
  subscriptionId?: string | undefined;
  status?: Invoice["status"] | undefined;
}

export interface RevenueOptions extends RequestOptions {
  /** The first month, such as 2026-01; by default 11 months before the last. */
  from?: string | undefined;
  /** The last month; this one by default. */
  to?: string | undefined;
}

/** The invoices and credit notes of one metering bucket. */
export class Invoices {
  readonly #transport: Transport;
  readonly #bucketId: string;

  constructor(transport: Transport, bucketId: string) {
    this.#transport = transport;
    this.#bucketId = bucketId;
  }

  /**
   * All invoices and credit notes of the bucket that match the options.
   *
   * @example
   * ```ts
   * const open = client.invoices(bucketId).list({ customerKey: "acme", status: "open" });
   * for await (const { number, amountDue, currency } of open) console.log(number, amountDue, currency);
   * ```
   */
  list({ customerKey, customerKeys, subscriptionId, status, ...paging }: ListInvoicesOptions = {}): List<Invoice> {
    const query = { customerKey, customerKeys: customerKeys?.join(), subscriptionId, status };
    const call = { params: { bucketId: this.#bucketId }, query };
    return this.#transport.list("listInvoices", { call, paging });
  }

  /**
   * One invoice. A draft that waits for late usage has the amounts of an invoice that is finalized now.
   *
   * @example
   * ```ts
   * const { number, lines, total } = await client.invoices(bucketId).get(invoiceId);
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Invoice> {
    return this.#transport.call("getInvoice", { params: this.#params(id), options });
  }

  /**
   * An invoice as an HTML page to print.
   *
   * @example
   * ```ts
   * const page = await client.invoices(bucketId).html(invoiceId);
   * ```
   */
  html(id: string, options?: RequestOptions): Promise<string> {
    return this.#transport.text("getInvoice", { params: this.#params(id), options }, "text/html");
  }

  /**
   * An invoice as CSV, with a row for each line.
   *
   * @example
   * ```ts
   * process.stdout.write(await client.invoices(bucketId).csv(invoiceId));
   * ```
   */
  csv(id: string, options?: RequestOptions): Promise<string> {
    return this.#transport.text("getInvoice", { params: this.#params(id), options }, "text/csv");
  }

  /**
   * Finalizes a draft before its time: numbers it, after which it never changes, and collects it.
   *
   * @example
   * ```ts
   * const { number } = await client.invoices(bucketId).finalize(invoiceId);
   * ```
   */
  finalize(id: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("finalizeInvoice", { params: this.#params(id), body: {}, options });
  }

  /**
   * Marks an invoice as paid, for payments outside of Tollgate. `paidOn` is now by default.
   *
   * @example
   * ```ts
   * await client.invoices(bucketId).markPaid(invoiceId, { reference: "transfer 4711" });
   * ```
   */
  markPaid(id: string, payment: InvoicePayment = {}, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("markInvoicePaid", { params: this.#params(id), body: payment, options });
  }

  /**
   * Tries the customer's money grants and payment method again.
   *
   * @example
   * ```ts
   * const { status } = await client.invoices(bucketId).collect(invoiceId);
   * ```
   */
  collect(id: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("collectInvoice", { params: this.#params(id), body: {}, options });
  }

  /**
   * Voids an open invoice: nothing is due any more, and its number stays in the series.
   *
   * @example
   * ```ts
   * await client.invoices(bucketId).void(invoiceId);
   * ```
   */
  void(id: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("voidInvoice", { params: this.#params(id), body: {}, options });
  }

  /**
   * Gives up an open invoice: it is not collected any more. It can still be marked as paid, voided or credited.
   *
   * @example
   * ```ts
   * await client.invoices(bucketId).markUncollectible(invoiceId);
   * ```
   */
  markUncollectible(id: string, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("markInvoiceUncollectible", { params: this.#params(id), body: {}, options });
  }

  /**
   * Creates and returns a credit note. What was paid already becomes a money grant, or, with `to: "payment-method"`,
   * is refunded.
   *
   * @example
   * ```ts
   * const lines = [{ description: "Outage on 3 May", amount: "5.00" }];
   * const { number } = await client.invoices(bucketId).credit(invoiceId, { lines });
   * const { refund } = await client.invoices(bucketId).credit(invoiceId, { lines, to: "payment-method" });
   * ```
   */
  credit(id: string, credit: InvoiceCredit, options?: CreateOptions): Promise<Invoice> {
    return this.#transport.call("creditInvoice", { params: this.#params(id), body: credit, options });
  }

  /**
   * What was invoiced in each month, by currency and plan, without taxes.
   *
   * @example
   * ```ts
   * const { data } = await client.invoices(bucketId).revenue({ from: "2026-01", to: "2026-12" });
   * for (const { month, planId, total, currency } of data) console.log(month, planId, total, currency);
   * ```
   */
  revenue({ from, to, ...options }: RevenueOptions = {}): Promise<Revenue> {
    return this.#transport.call("getRevenue", { params: { bucketId: this.#bucketId }, query: { from, to }, options });
  }

  #params(invoiceId: string) {
    return { bucketId: this.#bucketId, invoiceId };
  }
}
