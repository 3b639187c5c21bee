import { changesOf, clearOption } from "../../support/changes.ts";
import { meteringBucket, meteringBucketOption } from "../../support/metering-bucket.ts";
import { metersOf, planOptions } from "../../support/plan-options.ts";
import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument, option } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Change a plan: new maximums count at once, for those who have it too",
  details: "--meter replaces all meters: name each that the plan is to have.",
  arguments: { id: argument("the plan's id") },
  options: {
    ...meteringBucketOption,
    label: option("what it is called for people"),
    externalId: option("its identifier in your billing system"),
    ...planOptions,
    ...clearOption("trialDays", "trialEndStatus"),
  },
  examples: [
    {
      command: "tollgate plans update plan_0QGzNqW81Kx8VhTb3mPcRdZu --meter requests=200000",
      text: "More for everybody who has it.",
    },
  ],
  async call(client, { id, bucket, label, externalId, meter, meterLabel, trialDays, trialEnd, clear }) {
    const meters = metersOf(meter, meterLabel);
    const given = { label, planExternalId: externalId, meters, trialDays, trialEndStatus: trialEnd };
    return client.plans(await meteringBucket(client, bucket)).update(id, changesOf(given, clear));
  },
  show: showFields,
});
