import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, option } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { findPlanId, planHelp } from "../options/find-plan.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { metersOf, planOptions } from "../options/plan-options.ts";
import { pricedOf, priceOptions } from "../options/price-options.ts";
import { UsageError } from "../process/usage-error.ts";

export const plans = group({
  name: "plans",
  summary: "Plans: the limits of subscribers",
  commands: {
    list: listCommand({
      summary: "List the plans of a metering bucket",
      options: {
        ...meteringBucketOption,
        externalId: option("only the plan with this identifier in your billing system"),
      },
      examples: { "tollgate plans list": "With the limits of each." },
      things: "plans",
      columns: ["label", "planExternalId", "id", "meters", "hasSubscriptions", "createdOn"],
      list: async (client, { bucket, externalId, limit, offset }) =>
        client.plans(await meteringBucket(client, bucket)).list({ planExternalId: externalId, limit, offset }),
    }),
    create: remoteCommand({
      summary: "Create a plan",
      arguments: { externalId: argument("its identifier in your billing system") },
      options: {
        ...meteringBucketOption,
        label: option("the display name; the identifier by default"),
        ...planOptions,
        ...priceOptions,
      },
      examples: {
        "tollgate plans create price_gold --label Gold --meter requests=100000": "100,000 requests per period.",
        "tollgate plans create price_pro --meter requests=1000000 --meter exports=50 --trial-days 14":
          "Two meters, and a trial.",
        "tollgate plans create price_max --meter requests=100 --price 30.00 --currency EUR --rates rates.json --public true":
          "30 euros a month; rates.json prices what is used beyond.",
        "tollgate plans create price_flex --meter requests=1000 --price 10.00 --currency EUR --rollover requests=500,2":
          "Up to 500 unused requests are carried over for 2 periods.",
      },
      async call(
        client,
        { externalId, bucket, label = externalId, meter, meterLabel, trialDays, trialEnd, ...prices },
      ) {
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
    }),
    show: remoteCommand({
      summary: "Show a plan",
      arguments: { id: argument(planHelp) },
      options: meteringBucketOption,
      examples: { "tollgate plans show price_gold": "With its limits." },
      async call(client, { id, bucket }) {
        const bucketId = await meteringBucket(client, bucket);
        return client.plans(bucketId).get(await findPlanId(client, bucketId, id));
      },
    }),
    update: remoteCommand({
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
      examples: {
        "tollgate plans update price_gold --meter requests=200000": "Applies to all subscribers.",
        "tollgate plans update price_gold --price 35.00 --currency EUR":
          "Applies to each subscriber from the next period on.",
      },
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
    }),
    delete: deleteCommand({
      summary: "Delete a plan without subscriptions",
      arguments: { id: argument(planHelp) },
      options: meteringBucketOption,
      examples: { "tollgate plans delete price_gold": "Asks first." },
      what: ({ id }) => `the plan ${id}`,
      async delete(client, { id, bucket }) {
        const bucketId = await meteringBucket(client, bucket);
        return client.plans(bucketId).delete(await findPlanId(client, bucketId, id));
      },
    }),
  },
});
