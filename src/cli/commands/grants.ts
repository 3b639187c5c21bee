import { argument, integer, named, oneOf, option, requiredOption, time } from "../arguments/values.ts";
import { listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";

export const grants = group({
  name: "grants",
  summary: "Grants: credits of customers, in units of a meter or money",
  commands: {
    list: listCommand({
      summary: "List the grants of a customer",
      arguments: { customer: argument("the customer's name") },
      options: meteringBucketOption,
      examples: { "tollgate grants list acme": "With what is left of them." },
      things: "grants",
      columns: ["meter", "currency", "amount", "balance", "funding", "priority", "status", "expiresOn", "id"],
      csv: async (client, { customer, bucket, limit, offset }) =>
        client.grants(await meteringBucket(client, bucket), customer).listCsv({ limit, offset }),
      list: async (client, { customer, bucket, limit, offset }) =>
        client.grants(await meteringBucket(client, bucket), customer).list({ limit, offset }),
    }),
    create: remoteCommand({
      summary: "Grant credits to a customer",
      details: "Units of a meter with --meter, money with --currency. They pay for usage from now on.",
      arguments: { customer: argument("the customer's name") },
      options: {
        ...meteringBucketOption,
        meter: option("the meter whose units are granted", named("METER")),
        currency: option("the currency of the money that is granted, such as EUR", named("CURRENCY")),
        amount: requiredOption("the number of units, or the amount of money, such as 25.00", named("AMOUNT")),
        funding: requiredOption(
          "promotional: a gift, reduces invoices before tax; paid: prepaid, pays after tax",
          oneOf("promotional", "paid"),
        ),
        priority: option("lower ones are used first; 50 by default", integer),
        effectiveOn: option("when it can first be used; at once by default", time),
        expiresOn: option("when it expires, such as 90d", time),
        reason: option("the reason"),
      },
      examples: {
        "tollgate grants create acme --meter requests --amount 1000 --funding promotional --expires-on 30d":
          "A thousand requests for a month.",
        "tollgate grants create acme --currency EUR --amount 25.00 --funding paid": "Prepaid money.",
      },
      async call(client, { customer, bucket, ...options }) {
        const { meter, currency, funding, priority, effectiveOn, expiresOn, reason } = options;
        const amount = currency === undefined ? Number(options.amount) : options.amount;
        const grant = { meter, currency, amount, funding, priority, effectiveOn, expiresOn, reason };
        return client.grants(await meteringBucket(client, bucket), customer).create(grant);
      },
    }),
    show: remoteCommand({
      summary: "Show a grant",
      arguments: { customer: argument("the customer's name"), id: argument("the grant's id") },
      options: meteringBucketOption,
      examples: {
        "tollgate grants show acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu": "What it paid is shown by tollgate grants entries.",
      },
      call: async (client, { customer, id, bucket }) =>
        client.grants(await meteringBucket(client, bucket), customer).get(id),
    }),
    entries: listCommand({
      summary: "List the ledger of a grant",
      details: "Entries never change. Usage is entered at the end of each hour, and before invoices.",
      arguments: { customer: argument("the customer's name"), id: argument("the grant's id") },
      options: meteringBucketOption,
      examples: { "tollgate grants entries acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu": "Oldest first." },
      things: "entries",
      columns: ["createdOn", "kind", "amount", "balance", "meter", "subscriptionId", "invoiceId"],
      csv: async (client, { customer, id, bucket, limit, offset }) =>
        client.grants(await meteringBucket(client, bucket), customer).entriesCsv(id, { limit, offset }),
      list: async (client, { customer, id, bucket, limit, offset }) =>
        client.grants(await meteringBucket(client, bucket), customer).entries(id, { limit, offset }),
    }),
    history: listCommand({
      summary: "List the history of a customer's credit: the entries of all grants",
      details: "Entries never change. Usage is entered at the end of each hour, and before invoices.",
      arguments: { customer: argument("the customer's name") },
      options: { ...meteringBucketOption, order: option("desc: the newest first", oneOf("asc", "desc")) },
      examples: {
        "tollgate grants history acme --order desc --limit 20": "What happened last.",
        "tollgate grants history acme --all --csv > credit.csv": "The whole ledger.",
      },
      things: "entries",
      columns: ["createdOn", "kind", "amount", "currency", "meter", "reason", "grantId"],
      csv: async (client, { customer, bucket, order, limit, offset }) =>
        client.grants(await meteringBucket(client, bucket), customer).historyCsv({ order, limit, offset }),
      list: async (client, { customer, bucket, order, limit, offset }) =>
        client.grants(await meteringBucket(client, bucket), customer).history({ order, limit, offset }),
    }),
    void: remoteCommand({
      summary: "Void what is left of a grant",
      details: "What it has paid stays paid.",
      arguments: { customer: argument("the customer's name"), id: argument("the grant's id") },
      options: meteringBucketOption,
      examples: { "tollgate grants void acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu": "It cannot be undone." },
      call: async (client, { customer, id, bucket }) =>
        client.grants(await meteringBucket(client, bucket), customer).void(id),
    }),
  },
});
