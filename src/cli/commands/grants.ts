import { argument, integer, named, oneOf, option, requiredOption, time } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";

const grant = resource({
  one: "a grant",
  within: { customer: argument("the customer's name") },
  id: { id: argument("the grant's id") },
  options: meteringBucketOption,
  sample: "acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: async (client, { bucket, customer }) => client.grants(await meteringBucket(client, bucket), customer),
});

/** The ledger. */
const details = "Entries never change. Usage is entered at the end of each hour, and before invoices.";

export const grants = group({
  name: "grants",
  summary: "Grants: credits of customers, in units of a meter or money",
  commands: {
    list: grant.list({
      summary: "List the grants of a customer",
      columns: ["meter", "currency", "amount", "balance", "funding", "priority", "status", "expiresOn", "id"],
      examples: "With what is left of them.",
      csv: (api, query) => api.listCsv(query),
    }),
    create: grant.command({
      summary: "Grant credits to a customer",
      details: "Units of a meter with --meter, money with --currency. They pay for usage from now on.",
      options: {
        meter: option("the meter whose units are granted", named("METER")),
        currency: option("the currency of the money that is granted, such as EUR", named("CURRENCY")),
        amount: requiredOption("the number of units, or the amount of money, such as 25.00", named("AMOUNT")),
        funding: requiredOption(
          "promotional: a gift, reduces invoices before tax; paid: prepaid, pays after tax",
          oneOf("promotional", "paid"),
        ),
        priority: option("lower ones are used first; 50 by default", integer),
        effectiveOn: option("when it can first be used; immediately by default", time),
        expiresOn: option("when it expires, such as 90d", time),
        reason: option("the reason"),
      },
      examples: {
        "tollgate grants create acme --meter requests --amount 1000 --funding promotional --expires-on 30d":
          "A thousand requests for a month.",
        "tollgate grants create acme --currency EUR --amount 25.00 --funding paid": "Prepaid money.",
      },
      call(api, { ...options }) {
        const { meter, currency, funding, priority, effectiveOn, expiresOn, reason } = options;
        const amount = currency === undefined ? Number(options.amount) : options.amount;
        const grant = { meter, currency, amount, funding, priority, effectiveOn, expiresOn, reason };
        return api.create(grant);
      },
    }),
    show: grant.show({ examples: "What it paid is shown by tollgate grants entries." }),
    entries: grant.listOf({
      summary: "List the ledger of a grant",
      details,
      arguments: { id: argument("the grant's id") },
      things: "entries",
      columns: ["createdOn", "kind", "amount", "balance", "meter", "subscriptionId", "invoiceId"],
      examples: { "tollgate grants entries acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu": "Oldest first." },
      query: ({ id }) => ({ id }),
      read: (api, { id, ...page }) => api.entries(id, page),
      csv: (api, { id, ...page }) => api.entriesCsv(id, page),
    }),
    history: grant.listOf({
      summary: "List the history of a customer's credit: the entries of all grants",
      details,
      options: { order: option("desc: the newest first", oneOf("asc", "desc")) },
      things: "entries",
      columns: ["createdOn", "kind", "amount", "currency", "meter", "reason", "grantId"],
      examples: {
        "tollgate grants history acme --order desc --limit 20": "The latest entries.",
        "tollgate grants history acme --all --csv > credit.csv": "The whole ledger.",
      },
      query: ({ order }) => ({ order }),
      read: (api, query) => api.history(query),
      csv: (api, query) => api.historyCsv(query),
    }),
    void: grant.action({
      summary: "Void what is left of a grant",
      details: "What it has paid stays paid.",
      examples: "It cannot be undone.",
      call: (api, id) => api.void(id),
    }),
  },
});
