import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findPlanId, planHelp } from "../../options/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";
import { metersOf, planOptions } from "../../options/plan-options.ts";
import { pricedOf, priceOptions } from "../../options/price-options.ts";

export const command = remoteCommand({
  summary: "Change a plan: maximums apply at once, prices and rollover at the next period",
  details: "--meter replaces all meters: list every meter of the plan.",
  arguments: { id: argument(planHelp) },
  options: {
    ...meteringBucketOption,
    label: option("the display name"),
    externalId: option("its identifier in your billing system"),
    ...planOptions,
    ...priceOptions,
    ...clearOption(
      ...([
        "trialDays",
        "trialEndStatus",
        "price",
        "rates",
        "rollover",
        "features",
        "description",
        "isPublic",
        "position",
      ] as const),
    ),
  },
  examples: [
    {
      command: "tollgate plans update price_gold --meter requests=200000",
      text: "Applies to all subscribers.",
    },
    {
      command: "tollgate plans update price_gold --price 35.00 --currency EUR",
      text: "Applies to each subscriber from the next period on.",
    },
  ],
  async call(client, { id, bucket, label, externalId, meter, meterLabel, trialDays, trialEnd, clear, ...prices }) {
    const meters = metersOf(meter, meterLabel);
    const given = {
      label,
      planExternalId: externalId,
      meters,
      trialDays,
      trialEndStatus: trialEnd,
      ...(await pricedOf(prices)),
    };
    const bucketId = await meteringBucket(client, bucket);
    return client.plans(bucketId).update(await findPlanId(client, bucketId, id), changesOf(given, clear));
  },
  show: showFields,
});
