import { argument, boolean, integer, named, option, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
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
  examples: [
    {
      command:
        "tollgate credits create credits_1000 --price 10.00 --currency EUR --meter requests --amount 1000 --public true",
      text: "A thousand requests for 10 euros.",
    },
    {
      command: "tollgate credits create credits_50 --price 45.00 --currency EUR --grant-currency EUR --amount 50.00",
      text: "50 euros for usage, for 45 euros.",
    },
  ],
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
  show: showFields,
});
