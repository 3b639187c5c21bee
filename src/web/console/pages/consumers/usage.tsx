import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Subscription } from "../../../../client/index.ts";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { useMeteringBuckets } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { NoSubscription } from "../subscriptions/no-subscription.tsx";
import { usePlans } from "../subscriptions/plans.ts";
import { SubscriptionStatus } from "../subscriptions/status.tsx";
import { UsageView } from "../subscriptions/usage-view.tsx";

/** The usage of a consumer: its subscriptions have its name as customer key. */
export function ConsumerUsage({ name }: { name: string }) {
  const { api } = useSession();
  const buckets = useMeteringBuckets();
  const ids = buckets.data?.map(({ id }) => id);
  const subscriptions = useQuery({
    queryKey: ["subscriptions", "of", name, ids],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(
        ids!.map(async (bucketId) =>
          (await api.subscriptions(bucketId).list({ customerKey: name, limit: 20, signal }).page()).data.map(
            (subscription) => ({ bucketId, subscription }),
          ),
        ),
      );
      return found.flat();
    },
    enabled: ids !== undefined,
  });
  const error = buckets.error ?? subscriptions.error;
  if (error) return <LoadError error={error} onRetry={() => subscriptions.refetch()} />;
  if (!subscriptions.data) return <SkeletonLines />;
  if (subscriptions.data.length === 0) return <NoSubscription name={name} />;
  return (
    <div className="stack stack-loose">
      {subscriptions.data.map(({ bucketId, subscription }) => (
        <section key={subscription.id} className="stack">
          <div className="row row-between">
            <h2 className="row">
              <Link to="." search={{ tab: "billing", metering: bucketId, subscription: subscription.id } as never}>
                <PlanNames bucket={bucketId} subscription={subscription} />
              </Link>
              <SubscriptionStatus status={subscription.status} />
            </h2>
          </div>
          <UsageView bucketId={bucketId} subscriptionId={subscription.id} />
        </section>
      ))}
    </div>
  );
}

/** The plans' labels; their external ids while the plans load. */
function PlanNames({ bucket, subscription }: { bucket: string; subscription: Subscription }) {
  const plans = usePlans(bucket);
  const labels = subscription.planIds.map((id) => plans.data?.find((plan) => plan.id === id)?.label);
  return <>{labels.map((label, index) => label ?? subscription.planExternalIds[index]).join(", ")}</>;
}
