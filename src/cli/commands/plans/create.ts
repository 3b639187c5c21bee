import { argument, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { metersOf, planOptions } from "../../options/plan-options.ts";
import { pricedOf, priceOptions } from "../../options/price-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Create a plan",
  arguments: { externalId: argument("its identifier in your billing system") },
  options: {
    ...meteringBucketOption,
    label: option("the display name; the identifier by default"),
    ...planOptions,
    ...priceOptions,
  },
  examples: [
    {
      command: "tollgate plans create price_gold --label Gold --meter requests=100000",
      text: "100,000 requests per period.",
    },
    {
      command: "tollgate plans create price_pro --meter requests=1000000 --meter exports=50 --trial-days 14",
      text: "Two meters, and a trial.",
    },
    {
      command:
        "tollgate plans create price_max --meter requests=100 --price 30.00 --currency EUR --rates rates.json --public true",
      text: "30 euros a month; rates.json prices what is used beyond.",
    },
    {
      command:
        "tollgate plans create price_flex --meter requests=1000 --price 10.00 --currency EUR --rollover requests=500,2",
      text: "Up to 500 unused requests are carried over for 2 periods.",
    },
  ],
  async call(client, { externalId, bucket, label = externalId, meter, meterLabel, trialDays, trialEnd, ...prices }) {
    const meters = metersOf(meter, meterLabel);
    if (!meters) throw new UsageError("The plan has no meter.", "Name a meter: --meter requests=1000");
    const plan = {
      label,
      planExternalId: externalId,
      meters,
      trialDays,
      trialEndStatus: trialEnd,
      ...(await pricedOf(prices)),
    };
    return client.plans(await meteringBucket(client, bucket)).create(plan);
  },
  show: showFields,
});
