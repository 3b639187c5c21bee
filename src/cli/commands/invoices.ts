import type { Invoice, UpcomingInvoice } from "../../client/index.ts";
import { argument, integer, named, oneOf, option, pastTime, requiredOption } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { group, resource } from "../connection/resource.ts";
import { findSubscriptionId } from "../options/find-subscription.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { showList, showResource } from "../output/show.ts";
import type { Terminal } from "../terminal/terminal.ts";

const invoice = resource({
  one: "an invoice",
  id: { id: argument("the invoice's id") },
  options: meteringBucketOption,
  sample: "inv_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: async (client, { bucket }) => client.invoices(await meteringBucket(client, bucket)),
});

const months = {
  from: option("the first month; by default 11 months before the last", named("YYYY-MM")),
  to: option("the last month; this one by default", named("YYYY-MM")),
};

export const invoices = group({
  name: "invoices",
  summary: "Invoices and credit notes",
  commands: {
    list: invoice.list({
      summary: "List invoices and credit notes",
      options: {
        customer: option("only those of this customer", named("NAME")),
        subscription: option("only those of this subscription", named("ID")),
        status: option("only those with this status", oneOf("draft", "open", "paid", "uncollectible", "void")),
      },
      columns: ["number", "customerKey", "type", "status", "total", "amountDue", "currency", "dueOn", "id"],
      examples: {
        "tollgate invoices list --customer acme": "The invoices of acme.",
        "tollgate invoices list --status open --all": "What is due, without invoices that were given up.",
        "tollgate invoices list --status paid --all --csv > payments.csv": "What was paid, and when.",
      },
      query: ({ customer, subscription, status }) => ({ customerKey: customer, subscriptionId: subscription, status }),
      csv: (api, query) => api.listCsv(query),
    }),
    show: invoice.action({
      summary: "Show an invoice and its lines",
      examples: {
        "tollgate invoices show inv_0QGzNqW81Kx8VhTb3mPcRdZu": "From: tollgate invoices list",
        "tollgate invoices show inv_0QGzNqW81Kx8VhTb3mPcRdZu --csv": "A row for each line.",
      },
      csv: (api, id) => api.csv(id),
      call: (api, id) => api.get(id),
      show: showInvoice,
    }),
    print: invoice.action({
      summary: "Write an invoice as an HTML page, to print or to send",
      examples: {
        "tollgate invoices print inv_0QGzNqW81Kx8VhTb3mPcRdZu > invoice.html":
          "Open it in a browser, which also saves it as PDF.",
      },
      call: async (api, id) => ({
        html: await api.html(id),
      }),
      show: ({ html }, terminal) => terminal.write(html),
    }),
    upcoming: remoteCommand({
      summary: "Show the next invoice of a subscription, if nothing more is used",
      arguments: { subscription: argument("the subscription's id, or the customer's name") },
      options: meteringBucketOption,
      examples: { "tollgate invoices upcoming acme": "What acme will pay next." },
      async call(client, { subscription, bucket }) {
        const subscriptions = client.subscriptions(await meteringBucket(client, bucket));
        return subscriptions.upcomingInvoice(await findSubscriptionId(subscriptions, subscription));
      },
      show: showInvoice,
    }),
    finalize: invoice.action({
      summary: "Finalize a draft before its time",
      details: "Numbers the invoice, after which it never changes, and collects it.",
      examples: "Does not wait for late usage.",
      call: (api, id) => api.finalize(id),
      show: showInvoice,
    }),
    "mark-paid": invoice.action({
      summary: "Mark an invoice as paid, for payments outside of Tollgate",
      options: {
        paidOn: option("when it was paid; now by default", pastTime),
        reference: option("what identifies the payment", named("TEXT")),
      },
      examples: {
        'tollgate invoices mark-paid inv_0QGzNqW81Kx8VhTb3mPcRdZu --reference "transfer 4711"': "It was paid today.",
      },
      call: (api, id, { paidOn, reference }) => api.markPaid(id, { paidOn, reference }),
      show: showInvoice,
    }),
    collect: invoice.action({
      summary: "Retry the collection of an open invoice",
      details: "From the customer's money grants and payment method.",
      examples: "After a failed payment.",
      call: (api, id) => api.collect(id),
      show: showInvoice,
    }),
    confirm: invoice.action({
      summary: "Confirm the second step of a payment in the sandbox",
      details: "For an open invoice whose payment method has the behavior needs-action.",
      examples: "As the customer would.",
      call: (api, id) => api.confirm(id),
      show: showInvoice,
    }),
    void: invoice.action({
      summary: "Void an open invoice",
      details:
        "Nothing is due any more. The number stays in the series. To correct a paid invoice: tollgate invoices credit",
      examples: "It cannot be undone.",
      call: (api, id) => api.void(id),
      show: showInvoice,
    }),
    "mark-uncollectible": invoice.action({
      summary: "Give up an open invoice",
      details:
        "It is not collected any more, and counts as a failed payment: access ends after the grace period, and does not return until " +
        "the invoice is marked as paid or voided.",
      examples: "A bad debt.",
      call: (api, id) => api.markUncollectible(id),
      show: showInvoice,
    }),
    credit: invoice.action({
      summary: "Create a credit note for an invoice",
      details:
        "It reduces what is due. What was paid already becomes a money grant, which pays next invoices, or is refunded with --to.",
      options: {
        amount: requiredOption("the amount in the currency of the invoice, such as 5.00", named("AMOUNT")),
        description: requiredOption("the reason, which the customer sees"),
        line: option("the line of the invoice that it credits, counted from 0; all by default", integer),
        to: option("where what was paid goes; balance by default", oneOf("balance", "payment-method")),
        reference: option("of a refund outside of Tollgate, such as a transfer"),
      },
      examples: {
        'tollgate invoices credit inv_0QGzNqW81Kx8VhTb3mPcRdZu --amount 5.00 --description "Outage on 3 May"':
          "Shows the credit note.",
        'tollgate invoices credit inv_0QGzNqW81Kx8VhTb3mPcRdZu --amount 5.00 --description "Outage on 3 May" --to payment-method':
          "Refunds it to the payment method.",
      },
      call: (api, id, { amount, description, line, to, reference }) =>
        api.credit(id, { lines: [{ description, amount, line }], to, reference }),
      show: showInvoice,
    }),
    payments: invoice.listOf({
      summary: "List payments and refunds",
      details: "Invoices paid with credits are not listed. As CSV, refunds are negative, so that the amounts add up.",
      options: {
        customer: option("only those of this customer", named("NAME")),
        from: option("only those since this time, such as -30d", pastTime),
        to: option("before then", pastTime),
      },
      things: "payments",
      columns: ["paidOn", "type", "customerKey", "amount", "currency", "state", "number", "reference"],
      examples: {
        "tollgate invoices payments --customer acme": "What acme has paid.",
        "tollgate invoices payments --from 2026-01-01T00:00:00Z --all --csv > payments.csv": "For bookkeeping.",
      },
      query: ({ customer, from, to }) => ({ customerKey: customer, from, to }),
      read: (api, query) => api.payments(query),
      csv: (api, query) => api.paymentsCsv(query),
    }),
    revenue: invoice.command({
      summary: "Show what was invoiced in each month, by plan, without taxes",
      options: months,
      examples: { "tollgate invoices revenue --from 2026-01 --to 2026-12": "A year." },
      call: (api, { from, to }) => api.revenue({ from, to }),
      show: ({ data }, terminal) =>
        showList(terminal, data, ["month", "currency", "planId", "fees", "overage", "credits", "total"]),
    }),
    recurring: invoice.command({
      summary: "Show recurring revenue in each month, and why it changed",
      details:
        "The fees at the end of each month, yearly ones divided by twelve. As CSV, a row for each customer, currency and month.",
      options: months,
      examples: {
        "tollgate invoices recurring": "The last twelve months.",
        "tollgate invoices recurring --from 2026-01 --to 2026-12 --csv > recurring.csv": "A year, by customer.",
      },
      call: (api, { from, to }) => api.recurringRevenue({ from, to }),
      csv: (api, { from, to }) => api.recurringRevenueCsv({ from, to }),
      show: ({ months }, terminal) =>
        showList(terminal, months, [
          "month",
          "currency",
          "start",
          "new",
          "expansion",
          "contraction",
          "churn",
          "end",
          "customers",
        ]),
    }),
  },
});

/** The fields of an invoice, then a table of its lines. */
function showInvoice({ lines, ...fields }: Invoice | UpcomingInvoice, terminal: Terminal): void {
  showResource(terminal, fields);
  terminal.print("");
  const rows = lines.map((line) => ({ ...line, description: line.description ?? line.meter }));
  showList(terminal, rows, ["kind", "description", "quantity", "unitAmount", "amount", "periodStart", "periodEnd"]);
}
