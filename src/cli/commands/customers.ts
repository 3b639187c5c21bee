import { type Customer, etagOf, type Tollgate } from "../../client/index.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, boolean, listOption, named, oneOf, option, requiredOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { addressOf, addressOption } from "../options/address-option.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { UsageError } from "../process/usage-error.ts";

const customer = resource({
  one: "a customer",
  id: { customer: argument("the customer's name") },
  options: meteringBucketOption,
  sample: "acme",
  api: async (client, { bucket }) => client.customers(await meteringBucket(client, bucket)),
});

export const customers = group({
  name: "customers",
  summary: "Customers: who pays for subscriptions",
  commands: {
    list: customer.list({
      summary: "List the customers of a metering bucket",
      options: { sort: option("those who owe the most first", oneOf("amountDue")) },
      columns: ["customerKey", "legalName", "email", "currency", "amountDue", "paymentMethod", "createdOn"],
      row: ({ amountDue }) => ({ amountDue: amountDue?.map(({ amount, currency }) => `${amount} ${currency}`) }),
      examples: {
        "tollgate customers list": "All customers that have, or had, a subscription.",
        "tollgate customers list --sort amountDue --limit 20": "The 20 customers who owe the most.",
      },
      query: ({ sort }) => ({ sort }),
    }),
    show: customer.show({
      summary: "Show a customer: address, payment method, balances",
      examples: "Its invoices are listed by tollgate invoices list --customer acme.",
    }),
    update: customer.action({
      summary: "Change what later invoices show of a customer, and caps",
      details: "A cap limits what usage beyond the plan costs in a period. The lower of both caps applies.",
      options: {
        email: option("the address for invoices", named("EMAIL")),
        legalName: option("the name on invoices"),
        ...addressOption,
        taxId: listOption("a tax id; replaces all tax ids", named("ID")),
        taxStatus: option(
          "whether the customer pays tax; an invoice without it states the reason",
          oneOf("taxable", "reverse-charge", "exempt"),
        ),
        currency: option("the currency, such as EUR", named("CURRENCY")),
        spendCap: option("the cap that the customer wants, such as 50.00", named("AMOUNT")),
        creditLimit: option("the cap that you set, such as 200.00", named("AMOUNT")),
        capAction: option(
          "what a given cap does when it is reached; by default what it did, or block",
          oneOf("block", "notify"),
        ),
        capCurrency: option(
          "the currency of a given cap, which limits only usage in it; caps in other currencies stay. By default that of the first cap, or the customer's",
          named("CURRENCY"),
        ),
        topUpPack: option("the credit pack that the automatic top-up buys, by its identifier", named("PACK")),
        topUpBelow: option("the available credit below which it buys, in units or money", named("AMOUNT")),
        topUpMaximum: option("the most that top-ups cost in a month, with tax, such as 100.00", named("AMOUNT")),
        topUpEnabled: option("whether it buys; true for a new one", boolean),
        ...clearOption(
          "email",
          "legalName",
          "address",
          "taxIds",
          "taxStatus",
          "currency",
          "spendCap",
          "creditLimit",
          "topUp",
        ),
      },
      examples: {
        "tollgate customers update acme --top-up-pack credits_1000 --top-up-below 100 --top-up-maximum 50.00":
          "Buys the pack when fewer than 100 units are left.",
        'tollgate customers update acme --email billing@acme.example --legal-name "Acme Ltd"': "For the next invoice.",
        "tollgate customers update acme --address 'line1=1 High St' --address city=London --address country=GB":
          "Replaces the address.",
        "tollgate customers update acme --spend-cap 50.00": "Usage that would cost more is rejected.",
      },
      async call(
        customers,
        customer,
        { bucket, email, legalName, address, taxId: taxIds, currency, clear, ...options },
        { client },
      ) {
        const { taxStatus, spendCap, creditLimit, capAction, capCurrency } = options;
        const hasCap = spendCap !== undefined || creditLimit !== undefined;
        if (capAction !== undefined && !hasCap)
          throw new UsageError("--cap-action needs --spend-cap or --credit-limit.");
        if (capCurrency !== undefined && !hasCap)
          throw new UsageError("--cap-currency needs --spend-cap or --credit-limit.");
        const { topUpPack, topUpBelow, topUpMaximum, topUpEnabled } = options;
        const hasTopUp = [topUpPack, topUpBelow, topUpMaximum, topUpEnabled].some((value) => value !== undefined);
        // The condition rejects a change of the other caps, or of what the cap does, that comes in between.
        const before = hasCap || hasTopUp ? await customers.get(customer) : undefined;
        const capsOf = (amount: string | undefined, first: Cap | undefined, all = first ? [first] : []) => {
          if (amount === undefined) return undefined;
          const currency = capCurrency ?? first?.currency;
          const old = all.find((cap) => cap.currency === currency);
          const action = capAction ?? old?.action ?? "block";
          const cap: Cap = { amount, action, ...(currency === undefined ? {} : { currency }) };
          const caps = old ? all.map((each) => (each === old ? cap : each)) : [...all, cap];
          return caps.every(hasCurrency) ? { several: caps } : { one: cap };
        };
        const own = capsOf(spendCap, before?.spendCap, before?.spendCaps);
        const limits = capsOf(creditLimit, before?.creditLimit, before?.creditLimits);
        const caps = {
          spendCap: own?.one,
          spendCaps: own?.several,
          creditLimit: limits?.one,
          creditLimits: limits?.several,
        };
        const bucketId = await meteringBucket(client, bucket);
        const topUp = hasTopUp ? await topUpOf(client, bucketId, options, before!.topUp) : undefined;
        const fields = { email, legalName, address: addressOf(address), taxIds, taxStatus, currency, ...caps, topUp };
        const changes = changesOf(fields, clear);
        return customers.update(customer, changes, before ? { ifMatch: etagOf(before) } : {});
      },
    }),
    "set-payment-method": customer.action({
      summary: "Set the payment method of a customer in the sandbox",
      options: {
        behavior: requiredOption("the result of its payments", oneOf("succeeds", "fails", "needs-action")),
      },
      examples: {
        "tollgate customers set-payment-method acme --behavior fails": "To test what happens then. No money moves.",
      },
      call: (api, customer, { behavior }) => api.setPaymentMethod(customer, { type: "sandbox", behavior }),
    }),
    "delete-payment-method": customer.delete({
      summary: "Delete the payment method of a customer",
      details:
        "Later invoices stay open until they are marked as paid. A method at Stripe is removed by the customer, see tollgate customers payment-portal.",
      what: ({ customer }) => `the payment method of ${customer}`,
      examples: "Asks first.",
      call: (api, name) => api.deletePaymentMethod(name),
    }),
    "payment-portal": customer.action({
      summary: "Get a link to Stripe's page where a customer changes the payment method",
      details: "The link is valid for a few minutes.",
      options: {
        returnUrl: requiredOption("where the customer goes afterwards", named("URL")),
      },
      examples: {
        "tollgate customers payment-portal acme --return-url https://app.example.com/billing":
          "Send the customer to the address that is shown.",
      },
      call: (api, customer, { returnUrl }) => api.paymentPortal(customer, returnUrl),
    }),
  },
});

type Cap = NonNullable<Customer["spendCap"]>;

/** The server sets it for one without a currency. */
const hasCurrency = (cap: Cap): cap is Cap & { currency: string } => cap.currency !== undefined;

interface TopUpOptions {
  topUpPack?: string | undefined;
  topUpBelow?: string | undefined;
  topUpMaximum?: string | undefined;
  topUpEnabled?: boolean | undefined;
}

/** What is not given stays. The grant of the pack decides whether the limit is a number or an amount of money. */
async function topUpOf(client: Tollgate, bucketId: string, options: TopUpOptions, before: Customer["topUp"]) {
  const packExternalId = options.topUpPack ?? before?.packExternalId;
  const maximumPerMonth = options.topUpMaximum ?? before?.maximumPerMonth;
  const given = options.topUpBelow ?? before?.below;
  if (packExternalId === undefined || maximumPerMonth === undefined || given === undefined)
    throw new UsageError("A new top-up needs --top-up-pack, --top-up-below and --top-up-maximum.");
  const [pack] = await client.creditPacks(bucketId).list({ packExternalId, limit: 1 }).all();
  const below = pack?.grant.currency === undefined ? Number(given) : String(given);
  return { packExternalId, below, maximumPerMonth, isEnabled: options.topUpEnabled ?? before?.isEnabled ?? true };
}
