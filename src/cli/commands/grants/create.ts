import { argument, integer, named, oneOf, option, requiredOption, time } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
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
  examples: [
    {
      command: "tollgate grants create acme --meter requests --amount 1000 --funding promotional --expires-on 30d",
      text: "A thousand requests for a month.",
    },
    { command: "tollgate grants create acme --currency EUR --amount 25.00 --funding paid", text: "Prepaid money." },
  ],
  async call(client, { customer, bucket, ...options }) {
    const { meter, currency, funding, priority, effectiveOn, expiresOn, reason } = options;
    const amount = currency === undefined ? Number(options.amount) : options.amount;
    const grant = { meter, currency, amount, funding, priority, effectiveOn, expiresOn, reason };
    return client.grants(await meteringBucket(client, bucket), customer).create(grant);
  },
  show: showFields,
});
