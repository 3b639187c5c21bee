import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { unusedExternalId } from "../../../../client/unused-external-id.ts";
import { bindInput, SelectField } from "../../../components/field.tsx";
import { formatFee } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { useSettled } from "../../queries/use-settled.ts";

/** The plan that is created if there is none. */
const firstPlan = { label: "Free", planExternalId: "free", meters: { requests: { label: "Requests", max: 1000 } } };
const firstMeter = "requests";
const firstBucket = "main";
const noPlan = "none";

interface Limit {
  /** Undefined if the bucket is yet to be created. */
  bucketId?: string | undefined;
  bucketName: string;
  meter: string;
}

/** What the requests of a new gateway count against, and the plan of the consumer that tries it. */
export function useGatewayPlan(keyBucket: string | undefined, consumer: string) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [chosenLimit, setLimit] = useState<string>();
  const [chosenPlan, setPlan] = useState<string>();
  const metering = useRead(
    ["plans", "of-key-bucket", keyBucket],
    async (api, { signal }) => {
      const buckets = await api.metering.list({ signal }).all();
      const own = buckets.filter((each) => !each.isTest && (each.keyBucket ?? keyBucket) === keyBucket);
      return Promise.all(
        own.map(async (each) => ({ ...each, plans: await api.plans(each.id).list({ signal }).all() })),
      );
    },
    {
      enabled: keyBucket !== undefined,
    },
  );
  const buckets = metering.data ?? [];
  const used = buckets.flatMap(({ id, name, plans }) => {
    const meters = new Set(plans.flatMap((plan) => Object.keys(plan.meters)));
    return [...meters].map((meter) => ({ value: `${id} ${meter}`, bucketId: id, bucketName: name ?? id, meter }));
  });
  const limits: (Limit & { value: string })[] =
    used.length > 0
      ? used.sort((one, other) => Number(other.meter === firstMeter) - Number(one.meter === firstMeter))
      : [{ value: "new", bucketId: buckets[0]?.id, bucketName: buckets[0]?.name ?? firstBucket, meter: firstMeter }];
  const limit = chosenLimit === noPlan ? undefined : (limits.find(({ value }) => value === chosenLimit) ?? limits[0]!);
  const isNew = used.length === 0;
  const settled = useSettled(consumer);
  const bucketId = limit?.bucketId;
  const theirs = useRead(
    ["subscriptions", bucketId, "of-customer", settled],
    (api, { signal }) => api.subscriptions(bucketId!).list({ customerKey: settled, signal }).all(),
    {
      enabled: bucketId !== undefined && settled !== "",
    },
  );
  const needsPlan = !isNew && settled === consumer && theirs.data !== undefined && !isSubscribed(theirs.data);
  const fitting = buckets
    .filter(({ id }) => id === bucketId)
    .flatMap(({ plans }) => plans.filter(({ meters }) => limit && Object.hasOwn(meters, limit.meter)))
    // Trying a gateway should cost nothing.
    .sort((one, other) => Number(one.price?.amount ?? 0) - Number(other.price?.amount ?? 0));
  const plan = fitting.find(({ id }) => id === chosenPlan) ?? fitting[0];

  /** Creates the plan if there is none, and subscribes the consumer if it has no subscription. */
  const prepare = async () => {
    if (!limit) return undefined;
    const id = limit.bucketId ?? (await api.metering.create({ name: firstBucket, keyBucket })).id;
    const { id: planId, planExternalId } = isNew ? await api.plans(id).create(firstPlan) : plan!;
    const others = await api.subscriptions(id).list({ customerKey: consumer }).all();
    if (!isSubscribed(others)) {
      // A name that was typed just now: the field with the fee is not shown yet.
      if (!isNew && !needsPlan && plan?.price) throw new Error(`Choose the plan that ${consumer} is subscribed to.`);
      await api.subscriptions(id).create({
        planIds: [planId],
        planExternalIds: [planExternalId],
        status: "active",
        type: "periodic",
        renewalStrategy: "monthly",
        region: "us-central1",
        customerKey: consumer,
        subscriptionExternalId: unusedExternalId(consumer, others),
        customerExternalId: consumer,
      });
    }
    // A second attempt must find what this one created.
    await queries.invalidateQueries({ queryKey: ["plans"] });
    return { bucketId: limit.bucketName, meter: limit.meter };
  };

  const where = (name: string) => (buckets.length > 1 ? ` in ${name}` : "");
  const fields = (isDisabled: boolean) => (
    <>
      <SelectField
        label="Requests count against"
        disabled={isDisabled || !metering.data}
        options={[
          ...limits.map(({ value, meter, bucketName }) => ({
            value,
            label: isNew
              ? "A new plan, Free: 1,000 requests a month"
              : `The plans of consumers: 1 of ${meter} each${where(bucketName)}`,
          })),
          { value: noPlan, label: "No plan: 60 requests a minute per consumer" },
        ]}
        {...bindInput(limit?.value ?? noPlan, setLimit)}
      />
      {needsPlan && plan && (
        <SelectField
          label={`Subscribe ${settled} to`}
          hint="It has no subscription yet, without which its requests are rejected."
          disabled={isDisabled}
          options={fitting.map(({ id, label, price }) => ({
            value: id,
            label: price ? `${label}: ${formatFee(price)}, from now on` : `${label}: free`,
          }))}
          {...bindInput(plan.id, setPlan)}
        />
      )}
    </>
  );
  return { limit, isNew, isReady: metering.data !== undefined, fields, prepare };
}

const isSubscribed = (subscriptions: { status: string }[]): boolean =>
  subscriptions.some(({ status }) => status === "active" || status === "trialing");
