import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, TriangleAlert } from "lucide-react";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { formatPercent } from "../../../lib/format.ts";
import { useMeteringBuckets } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";

/** Who is near a limit and which build failed: each a sentence with its action. */
export function Attention() {
  const { api } = useSession();
  const buckets = useMeteringBuckets();
  const ids = buckets.data?.map(({ id }) => id);
  const attention = useQuery({
    queryKey: ["attention", ids],
    queryFn: async ({ signal }) => {
      const [near, deployments] = await Promise.all([
        Promise.all(
          ids!.map(async (bucket) => {
            const { data } = await api.metering.usage(bucket, { near: 0.8, limit: 5, signal }).page();
            return data.map((usage) => ({ bucket, ...usage }));
          }),
        ),
        api.deployments.listAll({ limit: 100, signal }).page(),
      ]);
      return { near: near.flat(), failed: deployments.data.filter(({ message }) => message !== "") };
    },
    enabled: ids !== undefined,
    refetchInterval: 30_000,
  });
  const error = buckets.error ?? attention.error;
  const { near = [], failed = [] } = attention.data ?? {};
  return (
    <div className="card">
      <h3 className="card-title">Needs attention</h3>
      {error && <LoadError error={error} />}
      {!attention.data && !error && <SkeletonLines count={3} />}
      {attention.data && near.length + failed.length === 0 && (
        <p className="row muted">
          <CircleCheck size={16} aria-hidden />
          Nothing. Nobody is near a limit, and every build succeeded.
        </p>
      )}
      <ul className="attention">
        {near.map(({ bucket, subscriptionId, customerKey, share }) => (
          <li key={subscriptionId}>
            <TriangleAlert size={16} aria-hidden />
            <span>
              {customerKey} has used {formatPercent(share)} of a limit.{" "}
              <Link to="/subscriptions" search={{ bucket, subscription: subscriptionId }}>
                Show usage
              </Link>
            </span>
          </li>
        ))}
        {failed.map(({ name, projectName, branchName, message }) => (
          <li key={name}>
            <TriangleAlert size={16} aria-hidden />
            <span>
              The last {message === "BUILD_FAILED" ? "build" : "start"} of {projectName} ({branchName}) failed.{" "}
              <Link to="/deployments/$name" params={{ name }} search={{ tab: "logs" }}>
                Show the log
              </Link>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
