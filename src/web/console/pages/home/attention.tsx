import { CircleCheck, TriangleAlert } from "lucide-react";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { useConcerns } from "./concerns.tsx";

/** Subscriptions near limits, expiring or unused keys, failing webhooks and builds: each a sentence with an action. */
export function Attention() {
  const { concerns, error, refetch } = useConcerns();
  return (
    <div className="card">
      <h2 className="card-title">Needs attention</h2>
      {error && <LoadError error={error} onRetry={refetch} />}
      {!concerns && !error && <SkeletonLines count={3} />}
      {concerns?.length === 0 && (
        <p className="row muted">
          <CircleCheck size={16} aria-hidden />
          Nothing. No consumer is near a limit, keys and webhooks are well, and every build succeeded.
        </p>
      )}
      <ul className="attention">
        {concerns?.map(({ id, text, action }) => (
          <li key={id}>
            <TriangleAlert size={16} aria-hidden />
            <span>
              {text} {action}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
