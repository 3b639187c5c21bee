import { Link } from "@tanstack/react-router";
import type { AccessRequest } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { actionsColumn, Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { useCall } from "../../shell/requests.tsx";

/** People who ask for access to a portal. Without any, and unless they can ask, nothing is shown. */
export function AccessRequests({ bucket, isOpen }: { bucket: string; isOpen: boolean }) {
  const { deniedEdit } = useSession();
  const requests = useRead(["access-requests", bucket], (api, { signal }) =>
    api.portal(bucket).accessRequests({ limit: 100, signal }).page(),
  );
  const decide = useCall({
    call: (api, { id, verb }: { id: string; verb: "approve" | "deny" }) => api.portal(bucket)[verb](id),
    done: ({ state, email, name }) => `${name ?? email} was ${state}`,
    onError: (error) => toast(messageOf(error), "red"),
  });
  if (requests.error) return <LoadError error={requests.error} onRetry={() => requests.refetch()} />;
  if (!requests.data?.data.length && !isOpen) return null;
  // Those to decide first.
  const rows = requests.data?.data.toSorted((one, other) => order(one) - order(other));
  return (
    <section className="stack stack-tight">
      <h2>Access requests</h2>
      {rows?.length === 0 ? (
        <p className="muted">There are no access requests yet.</p>
      ) : (
        <Table
          caption="Access requests"
          rows={rows}
          columns={[
            {
              label: "Person",
              render: ({ name, email }) => (
                <span className="wrap-anywhere">
                  {name ? `${name} · ` : ""}
                  {email}
                </span>
              ),
            },
            { label: "Note", render: ({ note }) => note ?? <span className="muted">None</span> },
            { label: "Requested", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
            { label: "State", render: (request) => <State bucket={bucket} request={request} /> },
            actionsColumn(
              ({ id, state, email }: AccessRequest) =>
                state === "pending" && (
                  <span className="row">
                    <Button
                      isSmall
                      kind="primary"
                      denied={deniedEdit}
                      aria-label={`Approve ${email}`}
                      isBusy={decide.isPending && decide.variables.id === id && decide.variables.verb === "approve"}
                      onClick={() => decide.mutate({ id, verb: "approve" })}
                    >
                      Approve
                    </Button>
                    <Button
                      isSmall
                      denied={deniedEdit}
                      aria-label={`Deny ${email}`}
                      isBusy={decide.isPending && decide.variables.id === id && decide.variables.verb === "deny"}
                      onClick={() => decide.mutate({ id, verb: "deny" })}
                    >
                      Deny
                    </Button>
                  </span>
                ),
            ),
          ]}
        />
      )}
    </section>
  );
}

const order = ({ state }: AccessRequest): number => (state === "pending" ? 0 : 1);

function State({ bucket, request }: { bucket: string; request: AccessRequest }) {
  const { state, consumerName } = request;
  if (state === "pending") return <Badge tone="amber">Pending</Badge>;
  if (state === "denied") return <Badge tone="red">Denied</Badge>;
  if (consumerName === undefined) return <Badge tone="green">Approved</Badge>;
  return (
    <Link to="/consumers/$bucket/$name" params={{ bucket, name: consumerName }}>
      Approved
    </Link>
  );
}
