import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findPlanId, planHelp } from "../../metering/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../../metering/metering-bucket.ts";
import { metersOf, planOptions } from "../../metering/plan-options.ts";

export const command = remoteCommand({
  summary: "Change a plan: new maximums apply immediately, also to existing subscriptions",
  details: "--meter replaces all meters: list every meter of the plan.",
  arguments: { id: argument(planHelp) },
  options: {
    ...meteringBucketOption,
    label: option("the display name"),
    externalId: option("its identifier in your billing system"),
    ...planOptions,
    ...clearOption("trialDays", "trialEndStatus"),
  },
  examples: [
    {
      command: "tollgate plans update price_gold --meter requests=200000",
      text: "Applies to all subscribers.",
    },
  ],
  async call(client, { id, bucket, label, externalId, meter, meterLabel, trialDays, trialEnd, clear }) {
    const meters = metersOf(meter, meterLabel);
    const given = { label, planExternalId: externalId, meters, trialDays, trialEndStatus: trialEnd };
    const bucketId = await meteringBucket(client, bucket);
    return client.plans(bucketId).update(await findPlanId(client, bucketId, id), changesOf(given, clear));
  },
  show: showFields,
});
