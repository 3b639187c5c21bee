import { argument, integer, named, oneOf, option, pastTime, requiredOption } from "../arguments/values.ts";
import { listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { findSubscription } from "../options/find-subscription.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { showInvoice } from "../output/invoices.ts";
import { showList } from "../output/show.ts";

export const invoices = group({
  name: "invoices",
  summary: "Invoices and credit notes",
  commands: {
    list: listCommand({
      summary: "List invoices and credit notes",
      options: {
        ...meteringBucketOption,
        customer: option("only those of this customer", named("NAME")),
        subscription: option("only those of this subscription", named("ID")),
        status: option("only those with this status", oneOf("draft", "open", "paid", "uncollectible", "void")),
      },
      examples: {
        "tollgate invoices list --customer acme": "The invoices of acme.",
        "tollgate invoices list --status open --all": "What is due, without invoices that were given up.",
        "tollgate invoices list --status paid --all --csv > payments.csv": "What was paid, and when.",
      },
      things: "invoices",
      filters: ["customer", "subscription", "status"],
      columns: ["number", "customerKey", "type", "status", "total", "amountDue", "currency", "dueOn", "id"],
      csv: async (client, { bucket, customer, subscription, status, limit, offset }) =>
        client
          .invoices(await meteringBucket(client, bucket))
          .listCsv({ customerKey: customer, subscriptionId: subscription, status, limit, offset }),
      list: async (client, { bucket, customer, subscription, status, limit, offset }) =>
        client
          .invoices(await meteringBucket(client, bucket))
          .list({ customerKey: customer, subscriptionId: subscription, status, limit, offset }),
    }),
    show: remoteCommand({
      summary: "Show an invoice and its lines",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: {
        "tollgate invoices show inv_0QGzNqW81Kx8VhTb3mPcRdZu": "From: tollgate invoices list",
        "tollgate invoices show inv_0QGzNqW81Kx8VhTb3mPcRdZu --csv": "A row for each line.",
      },
      csv: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).csv(id),
      call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).get(id),
      show: showInvoice,
    }),
    print: remoteCommand({
      summary: "Write an invoice as an HTML page, to print or to send",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: {
        "tollgate invoices print inv_0QGzNqW81Kx8VhTb3mPcRdZu > invoice.html":
          "Open it in a browser, which also saves it as PDF.",
      },
      call: async (client, { id, bucket }) => ({
        html: await client.invoices(await meteringBucket(client, bucket)).html(id),
      }),
      show: ({ html }, terminal) => terminal.write(html),
    }),
    upcoming: remoteCommand({
      summary: "Show the next invoice of a subscription, if nothing more is used",
      arguments: { subscription: argument("the subscription's id, or the customer's name") },
      options: meteringBucketOption,
      examples: { "tollgate invoices upcoming acme": "What acme will pay next." },
      async call(client, { subscription, bucket }) {
        const { bucketId, subscriptionId } = await findSubscription(client, bucket, subscription);
        return client.subscriptions(bucketId).upcomingInvoice(subscriptionId);
      },
      show: showInvoice,
    }),
    finalize: remoteCommand({
      summary: "Finalize a draft before its time",
      details: "Numbers the invoice, after which it never changes, and collects it.",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: { "tollgate invoices finalize inv_0QGzNqW81Kx8VhTb3mPcRdZu": "Does not wait for late usage." },
      call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).finalize(id),
      show: showInvoice,
    }),
    "mark-paid": remoteCommand({
      summary: "Mark an invoice as paid, for payments outside of Tollgate",
      arguments: { id: argument("the invoice's id") },
      options: {
        ...meteringBucketOption,
        paidOn: option("when it was paid; now by default", pastTime),
        reference: option("what identifies the payment", named("TEXT")),
      },
      examples: {
        'tollgate invoices mark-paid inv_0QGzNqW81Kx8VhTb3mPcRdZu --reference "transfer 4711"': "It was paid today.",
      },
      call: async (client, { id, bucket, paidOn, reference }) =>
        client.invoices(await meteringBucket(client, bucket)).markPaid(id, { paidOn, reference }),
      show: showInvoice,
    }),
    collect: remoteCommand({
      summary: "Try again to collect an open invoice",
      details: "From the customer's money grants and payment method.",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: { "tollgate invoices collect inv_0QGzNqW81Kx8VhTb3mPcRdZu": "After a failed payment." },
      call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).collect(id),
      show: showInvoice,
    }),
    confirm: remoteCommand({
      summary: "Confirm the second step of a payment in the sandbox",
      details: "For an open invoice whose payment method has the behavior needs-action.",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: { "tollgate invoices confirm inv_0QGzNqW81Kx8VhTb3mPcRdZu": "As the customer would." },
      call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).confirm(id),
      show: showInvoice,
    }),
    void: remoteCommand({
      summary: "Void an open invoice",
      details:
        "Nothing is due any more. The number stays in the series. To correct a paid invoice: tollgate invoices credit",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: { "tollgate invoices void inv_0QGzNqW81Kx8VhTb3mPcRdZu": "It cannot be undone." },
      call: async (client, { id, bucket }) => client.invoices(await meteringBucket(client, bucket)).void(id),
      show: showInvoice,
    }),
    "mark-uncollectible": remoteCommand({
      summary: "Give up an open invoice",
      details:
        "It is not collected any more, and counts as a failed payment: access ends after the grace period, and does not return until " +
        "the invoice is marked as paid or voided.",
      arguments: { id: argument("the invoice's id") },
      options: meteringBucketOption,
      examples: { "tollgate invoices mark-uncollectible inv_0QGzNqW81Kx8VhTb3mPcRdZu": "A bad debt." },
      call: async (client, { id, bucket }) =>
        client.invoices(await meteringBucket(client, bucket)).markUncollectible(id),
      show: showInvoice,
    }),
    credit: remoteCommand({
      summary: "Create a credit note for an invoice",
      details:
        "It reduces what is due. What was paid already becomes a money grant, which pays next invoices, or is refunded with --to.",
      arguments: { id: argument("the invoice's id") },
      options: {
        ...meteringBucketOption,
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
      call: async (client, { id, bucket, amount, description, line, to, reference }) =>
        client
          .invoices(await meteringBucket(client, bucket))
          .credit(id, { lines: [{ description, amount, line }], to, reference }),
      show: showInvoice,
    }),
    payments: listCommand({
      summary: "List payments and refunds",
      details: "What credits paid is not a payment. As CSV, refunds are negative, so that the amounts add up.",
      options: {
        ...meteringBucketOption,
        customer: option("only those of this customer", named("NAME")),
        from: option("only those since this time, such as -30d", pastTime),
        to: option("before then", pastTime),
      },
      examples: {
        "tollgate invoices payments --customer acme": "What acme has paid.",
        "tollgate invoices payments --from 2026-01-01T00:00:00Z --all --csv > payments.csv": "For bookkeeping.",
      },
      things: "payments",
      filters: ["customer", "from", "to"],
      columns: ["paidOn", "type", "customerKey", "amount", "currency", "state", "number", "reference"],
      csv: async (client, { bucket, customer, from, to, limit, offset }) =>
        client
          .invoices(await meteringBucket(client, bucket))
          .paymentsCsv({ customerKey: customer, from, to, limit, offset }),
      list: async (client, { bucket, customer, from, to, limit, offset }) =>
        client
          .invoices(await meteringBucket(client, bucket))
          .payments({ customerKey: customer, from, to, limit, offset }),
    }),
    revenue: remoteCommand({
      summary: "Show what was invoiced in each month, by plan, without taxes",
      options: {
        ...meteringBucketOption,
        from: option("the first month; by default 11 months before the last", named("YYYY-MM")),
        to: option("the last month; this one by default", named("YYYY-MM")),
      },
      examples: { "tollgate invoices revenue --from 2026-01 --to 2026-12": "A year." },
      call: async (client, { bucket, from, to }) =>
        client.invoices(await meteringBucket(client, bucket)).revenue({ from, to }),
      show: ({ data }, terminal) =>
        showList(terminal, data, ["month", "currency", "planId", "fees", "overage", "credits", "total"]),
    }),
  },
});
