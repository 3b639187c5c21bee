import type { CreditPacks } from "../../client/index.ts";
import { changesOf } from "../arguments/changes.ts";
import { argument, boolean, integer, named, option, requiredOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { UsageError } from "../process/usage-error.ts";

const pack = resource({
  one: "a credit pack",
  id: { id: argument("the pack's id or identifier") },
  options: meteringBucketOption,
  sample: "credits_1000",
  api: async (client, { bucket }) => client.creditPacks(await meteringBucket(client, bucket)),
  idOf: findPackId,
});

const purchase = resource({
  one: "a purchase",
  within: { customer: argument("the customer's name") },
  id: { id: argument("the purchase's id") },
  options: meteringBucketOption,
  sample: "acme pprc_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: async (client, { bucket, customer }) => client.packPurchases(await meteringBucket(client, bucket), customer),
});

async function findPackId(packs: CreditPacks, given: string): Promise<string> {
  if (/^pack_[0-9A-Za-z]{24}$/.test(given)) return given;
  const [found] = await packs.list({ packExternalId: given, limit: 1 }).all();
  if (!found)
    throw new UsageError(`There is no credit pack "${given}" in the bucket.`, "List them: tollgate credits list");
  return found.id;
}

export const credits = group({
  name: "credits",
  summary: "Credit packs: credit that customers buy",
  commands: {
    list: pack.list({
      columns: ["packExternalId", "label", "price", "grant", "isPublic", "position", "id"],
      examples: "With their prices, and what customers get.",
    }),
    create: pack.command({
      summary: "Create a credit pack",
      details:
        "Customers get units of a meter with --meter, or money with --grant-currency. Price and grant cannot be changed.",
      arguments: { externalId: argument("its identifier, unique in the bucket") },
      options: {
        label: option("the display name; the identifier by default"),
        price: requiredOption("the price without tax, such as 10.00", named("AMOUNT")),
        currency: requiredOption("the currency of the price, such as EUR", named("CURRENCY")),
        meter: option("the meter whose units are granted", named("METER")),
        grantCurrency: option("the currency of the money that is granted", named("CURRENCY")),
        amount: requiredOption("the number of units, or the amount of money, that is granted", named("AMOUNT")),
        expiresInDays: option("the days after the payment in which it can be used", integer),
        public: option("whether customers see it in the portal", boolean),
        position: option("lower ones are listed first", integer),
      },
      examples: {
        "tollgate credits create credits_1000 --price 10.00 --currency EUR --meter requests --amount 1000 --public true":
          "A thousand requests for 10 euros.",
        "tollgate credits create credits_50 --price 45.00 --currency EUR --grant-currency EUR --amount 50.00":
          "50 euros for usage, for 45 euros.",
      },
      call(api, { externalId, label = externalId, meter, grantCurrency, ...options }) {
        const { price, currency, amount, expiresInDays, position } = options;
        const granted = grantCurrency === undefined ? Number(amount) : amount;
        return api.create({
          packExternalId: externalId,
          label,
          price: { currency, amount: price },
          grant: { meter, currency: grantCurrency, amount: granted, expiresInDays },
          isPublic: options.public,
          position,
        });
      },
    }),
    show: pack.show({ examples: "Its price and what customers get." }),
    update: pack.action({
      summary: "Change the label of a credit pack, and whether customers see it",
      details: "Price and grant cannot be changed: create another pack.",
      options: {
        label: option("the display name"),
        public: option("whether customers see it in the portal", boolean),
        position: option("lower ones are listed first", integer),
      },
      examples: { "tollgate credits update credits_1000 --public false": "It is no longer offered." },
      call(api, id, { label, position, ...options }) {
        const changes = changesOf({ label, position, isPublic: options.public });
        return api.update(id, changes);
      },
    }),
    delete: pack.delete({
      details: "What was bought stays. Automatic top-ups with the pack buy nothing any more.",
      examples: "Asks first.",
    }),
    sell: purchase.command({
      summary: "Sell a credit pack to a customer, who pays at the address that is shown",
      details: "The credit is granted when it is paid. There is no address if the customer's payment method pays.",
      arguments: { pack: argument("the pack's identifier") },
      options: {
        returnUrl: requiredOption("where the customer goes after the payment", named("URL")),
      },
      examples: {
        "tollgate credits sell acme credits_1000 --return-url https://app.example.com/billing":
          "Send the customer to the address that is shown.",
      },
      call: (api, { pack, returnUrl }) => api.purchase({ packExternalId: pack, returnUrl }),
    }),
    purchases: purchase.list({
      summary: "List the credit packs that a customer bought",
      columns: ["createdOn", "packExternalId", "total", "state", "isTopUp", "refunded", "invoiceId", "id"],
      examples: "Automatic top-ups included.",
    }),
    refund: purchase.action({
      summary: "Refund what is left of a credit pack",
      details: "Returns the price of the unused part, with tax. What is left can no longer be used.",
      examples: "It cannot be undone.",
      call: (api, id) => api.refund(id),
    }),
  },
});
