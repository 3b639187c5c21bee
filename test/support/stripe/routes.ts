import type { Stripe } from "stripe";
import { type Book, methods } from "./book.ts";
import { listOf } from "./objects.ts";
import { type Accepts, invalidRequest, missing, type parseForm, StripeProblem, validate } from "./parameters.ts";

type Tree = ReturnType<typeof parseForm>;

export interface RouteInput {
  book: Book;
  tree: Tree;
  /** The variable parts of the path. */
  ids: string[];
  livemode: boolean;
}

export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: RegExp;
  handle(input: RouteInput): object;
}

/** A call: the parameters of the package's type that it accepts, and those that it requires. */
export function call<Params>(
  method: Route["method"],
  path: RegExp,
  { accepts, required = [] }: { accepts: Accepts<Params>; required?: (keyof Params & string)[] },
  handle: (params: Params, input: RouteInput) => object,
): Route {
  return { method, path, handle: (input) => handle(validate<Params>(input.tree, accepts, required), input) };
}

export const inOrder = <Item extends { id: string }>(items: Iterable<Item>) => [...items].reverse();

/** A page after `starting_after`, the newest first. */
export function page<Item extends { id: string }>(
  items: Item[],
  { limit = 10, starting_after }: { limit?: number; starting_after?: string },
  url: string,
) {
  const from = starting_after === undefined ? 0 : items.findIndex(({ id }) => id === starting_after) + 1;
  return listOf(items.slice(from, from + limit), url, items.length > from + limit);
}

export function setMetadata(object: { metadata: Stripe.Metadata | null }, given: unknown): void {
  if (given) object.metadata = { ...object.metadata, ...(given as Stripe.Metadata) };
}

/** `expand` of the payment intents of an invoice's payments; anything else is rejected, as it is not used. */
function expanded(book: Book, invoice: Stripe.Invoice, expand: string[] = []): Stripe.Invoice {
  const copy = structuredClone(invoice);
  for (const path of expand) {
    if (path !== "payments.data.payment.payment_intent")
      throw invalidRequest(`This property cannot be expanded (${path}).`, undefined, "expand");
    for (const { payment } of copy.payments!.data)
      payment.payment_intent = structuredClone(book.intents.get(payment.payment_intent as string)!);
  }
  // Payments are included only if they are expanded.
  if (expand.length === 0) delete copy.payments;
  return copy;
}

function setDetails(customer: Stripe.Customer, params: Stripe.CustomerUpdateParams): void {
  if (params.name !== undefined) customer.name = params.name || null;
  if (params.email !== undefined) customer.email = params.email || null;
  if (params.address !== undefined)
    customer.address = params.address === "" ? null : (params.address as Stripe.Address);
  const method = params.invoice_settings?.default_payment_method;
  if (method !== undefined) customer.invoice_settings.default_payment_method = method || null;
  setMetadata(customer, params.metadata);
}

const customerRoutes: Route[] = [
  call<Stripe.CustomerCreateParams>(
    "POST",
    /^\/v1\/customers$/,
    { accepts: { name: "text", email: "text", address: "hash", metadata: "hash" } },
    (params, { book, livemode }) => {
      const customer = book.createCustomer(livemode);
      setDetails(customer, params as Stripe.CustomerUpdateParams);
      return customer;
    },
  ),
  call<Stripe.CustomerSearchParams>(
    "GET",
    /^\/v1\/customers\/search$/,
    { accepts: { query: "text", limit: "integer", page: "text" }, required: ["query"] },
    ({ query }, { book }) => {
      const match = /^metadata\['(\w+)'\]:'([^']*)'$/.exec(query);
      if (!match) throw invalidRequest("We were unable to parse your search query.");
      const data = [...book.customers.values()].filter(({ metadata }) => metadata[match[1]!] === match[2]);
      return { object: "search_result", data, has_more: false, url: "/v1/customers/search", next_page: null };
    },
  ),
  call<Stripe.CustomerUpdateParams>(
    "POST",
    /^\/v1\/customers\/(\w+)$/,
    { accepts: { name: "text", email: "text", address: "hash", metadata: "hash", invoice_settings: "hash" } },
    (params, { book, ids: [id] }) => {
      const customer = book.customer(id!, "id");
      setDetails(customer, params);
      return customer;
    },
  ),
  call<Stripe.CustomerRetrieveParams>(
    "GET",
    /^\/v1\/customers\/(\w+)$/,
    { accepts: { expand: "list" } },
    (_params, { book, ids: [id] }) =>
      book.deletedCustomers.has(id!)
        ? ({ id: id!, object: "customer", deleted: true } satisfies Stripe.DeletedCustomer)
        : book.customer(id!, "id"),
  ),
];

const invoiceRoutes: Route[] = [
  call<Stripe.InvoiceCreateParams>(
    "POST",
    /^\/v1\/invoices$/,
    {
      accepts: {
        customer: "text",
        currency: "text",
        collection_method: "text",
        auto_advance: "boolean",
        pending_invoice_items_behavior: "text",
        custom_fields: "list",
        metadata: "hash",
      },
      required: ["customer"],
    },
    (params, { book }) => {
      if (params.auto_advance) throw invalidRequest("A draft that Stripe finalizes by itself may lack items.");
      const invoice = book.createInvoice(book.customer(params.customer!), params.currency ?? "usd", (created) =>
        setMetadata(created, params.metadata),
      );
      return expanded(book, invoice);
    },
  ),
  call<Stripe.InvoiceListParams>(
    "GET",
    /^\/v1\/invoices$/,
    { accepts: { customer: "text", created: "hash", limit: "integer", starting_after: "text" } },
    ({ customer, created, ...paging }, { book }) => {
      const since = Number((created as unknown as { gte?: string } | undefined)?.gte ?? 0);
      const found = [...book.invoices.values()].filter(
        (invoice) => (customer === undefined || invoice.customer === customer) && invoice.created >= since,
      );
      return page(inOrder(found), paging, "/v1/invoices");
    },
  ),
  call<Stripe.InvoiceRetrieveParams>(
    "GET",
    /^\/v1\/invoices\/(\w+)$/,
    { accepts: { expand: "list" } },
    ({ expand }, { book, ids: [id] }) => expanded(book, book.invoice(id!), expand),
  ),
  call<Stripe.InvoiceDeleteParams>(
    "DELETE",
    /^\/v1\/invoices\/(\w+)$/,
    { accepts: {} },
    (_params, { book, ids: [id] }) => {
      const { id: deleted } = book.draft(id!);
      book.invoices.delete(deleted);
      return { id: deleted, object: "invoice", deleted: true } satisfies Stripe.DeletedInvoice;
    },
  ),
  call<Stripe.InvoiceFinalizeInvoiceParams>(
    "POST",
    /^\/v1\/invoices\/(\w+)\/finalize$/,
    { accepts: { auto_advance: "boolean" } },
    ({ auto_advance = false }, { book, ids: [id] }) => expanded(book, book.finalize(id!, auto_advance)),
  ),
  call<Stripe.InvoicePayParams>(
    "POST",
    /^\/v1\/invoices\/(\w+)\/pay$/,
    { accepts: { paid_out_of_band: "boolean", payment_method: "text" } },
    ({ paid_out_of_band, payment_method }, { book, ids: [id] }) => {
      const invoice = book.invoice(id!);
      book.payable(invoice);
      book.idle(invoice);
      if (paid_out_of_band) book.markPaid(invoice, 0);
      else book.attempt(invoice, payment_method);
      if (invoice.status !== "paid" && payment_method !== methods.takesDays)
        throw new StripeProblem(402, { type: "card_error", code: "card_declined", message: "Your card was declined." });
      return expanded(book, invoice);
    },
  ),
  call<Stripe.InvoiceVoidInvoiceParams>(
    "POST",
    /^\/v1\/invoices\/(\w+)\/void$/,
    { accepts: {} },
    (_params, { book, ids: [id] }) => {
      book.void(book.invoice(id!));
      return expanded(book, book.invoice(id!));
    },
  ),
  call<Stripe.InvoiceMarkUncollectibleParams>(
    "POST",
    /^\/v1\/invoices\/(\w+)\/mark_uncollectible$/,
    { accepts: {} },
    (_params, { book, ids: [id] }) => {
      book.giveUp(book.invoice(id!));
      return expanded(book, book.invoice(id!));
    },
  ),
  call<Stripe.CreditNoteListParams>(
    "GET",
    /^\/v1\/credit_notes$/,
    { accepts: { invoice: "text", limit: "integer", starting_after: "text" } },
    ({ invoice, ...paging }, { book }) =>
      page(
        book.creditNotes.filter((note) => note.invoice === invoice),
        paging,
        "/v1/credit_notes",
      ),
  ),
  call<Stripe.RefundListParams>(
    "GET",
    /^\/v1\/refunds$/,
    { accepts: { payment_intent: "text", created: "hash", limit: "integer", starting_after: "text" } },
    ({ payment_intent, created, ...paging }, { book }) => {
      const since = Number((created as unknown as { gte?: string } | undefined)?.gte ?? 0);
      const found = book.refunds.filter(
        (refund) =>
          (payment_intent === undefined || refund.payment_intent === payment_intent) && refund.created >= since,
      );
      return page(inOrder(found), paging, "/v1/refunds");
    },
  ),
  call<Stripe.DisputeListParams>(
    "GET",
    /^\/v1\/disputes$/,
    { accepts: { payment_intent: "text", limit: "integer", starting_after: "text" } },
    ({ payment_intent, ...paging }, { book }) => {
      const found = book.disputes.filter((dispute) => dispute.payment_intent === payment_intent);
      return page(inOrder(found), paging, "/v1/disputes");
    },
  ),
  call<Stripe.CreditNoteCreateParams>(
    "POST",
    /^\/v1\/credit_notes$/,
    {
      accepts: {
        invoice: "text",
        amount: "integer",
        refund_amount: "integer",
        out_of_band_amount: "integer",
        metadata: "hash",
      },
      required: ["invoice", "amount"],
    },
    ({ invoice: id, amount, refund_amount, out_of_band_amount, metadata }, { book }) => {
      const invoice = book.invoice(id);
      const note =
        invoice.status === "paid"
          ? book.creditPaid(invoice, amount!, refund_amount, out_of_band_amount)
          : book.credit(invoice, amount!);
      setMetadata(note, metadata);
      return note;
    },
  ),
];

const itemRoutes: Route[] = [
  call<Stripe.InvoiceItemCreateParams>(
    "POST",
    /^\/v1\/invoiceitems$/,
    {
      accepts: {
        customer: "text",
        invoice: "text",
        currency: "text",
        amount: "integer",
        description: "text",
        period: "hash",
        metadata: "hash",
      },
      required: ["customer", "invoice", "currency", "amount"],
    },
    (params, { book }) => {
      const invoice = book.draft(params.invoice!);
      if (invoice.currency !== params.currency) throw invalidRequest("The currencies differ", undefined, "currency");
      if (invoice.customer !== params.customer) throw invalidRequest("The customers differ", undefined, "customer");
      const item = book.createItem(invoice, params.amount!);
      item.description = params.description ?? null;
      setMetadata(item, params.metadata);
      return item;
    },
  ),
  call<Stripe.InvoiceItemListParams>(
    "GET",
    /^\/v1\/invoiceitems$/,
    { accepts: { invoice: "text", limit: "integer", starting_after: "text" } },
    ({ invoice, ...paging }, { book }) => page(inOrder(book.itemsOf(invoice!)), paging, "/v1/invoiceitems"),
  ),
  call<Stripe.InvoiceItemDeleteParams>(
    "DELETE",
    /^\/v1\/invoiceitems\/(\w+)$/,
    { accepts: {} },
    (_params, { book, ids: [id] }) => {
      const item = book.items.get(id!);
      if (!item) throw missing("invoiceitem", id!, "id");
      const invoice = book.draft(item.invoice as string);
      book.items.delete(id!);
      book.total(invoice);
      return { id: id!, object: "invoiceitem", deleted: true } satisfies Stripe.DeletedInvoiceItem;
    },
  ),
];

export const invoiceAndCustomerRoutes: Route[] = [...customerRoutes, ...invoiceRoutes, ...itemRoutes];
