import { changesOf } from "../arguments/changes.ts";
import { argument, boolean, integer, named, option, requiredOption } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { findPackId, packHelp } from "../options/find-pack.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";

export const credits = group({
  name: "credits",
  summary: "Credit packs: credit that customers buy",
  commands: {
    list: listCommand({
      summary: "List credit packs",
      options: meteringBucketOption,
      examples: { "tollgate credits list": "With their prices, and what customers get." },
      things: "credit packs",
      columns: ["packExternalId", "label", "price", "grant", "isPublic", "position", "id"],
      list: async (client, { bucket, limit, offset }) =>
        client.creditPacks(await meteringBucket(client, bucket)).list({ limit, offset }),
    }),
    create: remoteCommand({
      summary: "Create a credit pack",
      details:
        "Customers get units of a meter with --meter, or money with --grant-currency. Price and grant cannot be changed.",
      arguments: { externalId: argument("its identifier, unique in the bucket") },
      options: {
        ...meteringBucketOption,
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
      async call(client, { externalId, bucket, label = externalId, meter, grantCurrency, ...options }) {
        const { price, currency, amount, expiresInDays, position } = options;
        const granted = grantCurrency === undefined ? Number(amount) : amount;
        return client.creditPacks(await meteringBucket(client, bucket)).create({
          packExternalId: externalId,
          label,
          price: { currency, amount: price },
          grant: { meter, currency: grantCurrency, amount: granted, expiresInDays },
          isPublic: options.public,
          position,
        });
      },
    }),
    show: remoteCommand({
      summary: "Show a credit pack",
      arguments: { id: argument(packHelp) },
      options: meteringBucketOption,
      examples: { "tollgate credits show credits_1000": "Its price and what customers get." },
      async call(client, { id, bucket }) {
        const bucketId = await meteringBucket(client, bucket);
        return client.creditPacks(bucketId).get(await findPackId(client, bucketId, id));
      },
    }),
    update: remoteCommand({
      summary: "Change the label of a credit pack, and whether customers see it",
      details: "Price and grant cannot be changed: create another pack.",
      arguments: { id: argument(packHelp) },
      options: {
        ...meteringBucketOption,
        label: option("the display name"),
        public: option("whether customers see it in the portal", boolean),
        position: option("lower ones are listed first", integer),
      },
      examples: { "tollgate credits update credits_1000 --public false": "It is no longer offered." },
      async call(client, { id, bucket, label, position, ...options }) {
        const bucketId = await meteringBucket(client, bucket);
        const changes = changesOf({ label, position, isPublic: options.public }, []);
        return client.creditPacks(bucketId).update(await findPackId(client, bucketId, id), changes);
      },
    }),
    delete: deleteCommand({
      summary: "Delete a credit pack",
      details: "What was bought stays. Automatic top-ups with the pack buy nothing any more.",
      arguments: { id: argument(packHelp) },
      options: meteringBucketOption,
      examples: { "tollgate credits delete credits_1000": "Asks first." },
      what: ({ id }) => `the credit pack ${id}`,
      async delete(client, { id, bucket }) {
        const bucketId = await meteringBucket(client, bucket);
        return client.creditPacks(bucketId).delete(await findPackId(client, bucketId, id));
      },
    }),
    sell: remoteCommand({
      summary: "Sell a credit pack to a customer, who pays at the address that is shown",
      details: "The credit is granted when it is paid. There is no address if the customer's payment method pays.",
      arguments: { customer: argument("the customer's name"), pack: argument("the pack's identifier") },
      options: {
        ...meteringBucketOption,
        returnUrl: requiredOption("where the customer goes after the payment", named("URL")),
      },
      examples: {
        "tollgate credits sell acme credits_1000 --return-url https://app.example.com/billing":
          "Send the customer to the address that is shown.",
      },
      call: async (client, { customer, pack, bucket, returnUrl }) =>
        client
          .packPurchases(await meteringBucket(client, bucket), customer)
          .purchase({ packExternalId: pack, returnUrl }),
    }),
    purchases: listCommand({
      summary: "List the credit packs that a customer bought",
      arguments: { customer: argument("the customer's name") },
      options: meteringBucketOption,
      examples: { "tollgate credits purchases acme": "Automatic top-ups included." },
      things: "purchases",
      columns: ["createdOn", "packExternalId", "total", "state", "isTopUp", "refunded", "invoiceId", "id"],
      list: async (client, { customer, bucket, limit, offset }) =>
        client.packPurchases(await meteringBucket(client, bucket), customer).list({ limit, offset }),
    }),
    refund: remoteCommand({
      summary: "Refund what is left of a credit pack",
      details: "Returns the price of the unused part, with tax. What is left can no longer be used.",
      arguments: { customer: argument("the customer's name"), id: argument("the purchase's id") },
      options: meteringBucketOption,
      examples: { "tollgate credits refund acme pprc_0QGzNqW81Kx8VhTb3mPcRdZu": "It cannot be undone." },
      call: async (client, { customer, id, bucket }) =>
        client.packPurchases(await meteringBucket(client, bucket), customer).refund(id),
    }),
  },
});
