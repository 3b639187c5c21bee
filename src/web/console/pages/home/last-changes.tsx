import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { ChangeList } from "../../components/change-list.tsx";
import { useSession } from "../../queries/session.tsx";

const most = 8;

export function LastChanges() {
  const { api } = useSession();
  const changes = useQuery({
    queryKey: ["audit-log", "last"],
    queryFn: ({ signal }) => api.auditLog.list({ limit: most, signal }),
    refetchInterval: 15_000,
  });
  return (
    <div className="card">
      <h3 className="card-title">
        <span>Last changes</span>
        <Link className="small" to="/audit-log">
          Audit log
        </Link>
      </h3>
      {changes.error ? (
        <LoadError error={changes.error} />
      ) : changes.data ? (
        <ChangeList entries={changes.data} />
      ) : (
        <SkeletonLines />
      )}
    </div>
  );
}
