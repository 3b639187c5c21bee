import { Link } from "@tanstack/react-router";
import type { AccessRequest } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { actionsColumn, List } from "../../../components/table.tsx";
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
  if (!requests.error && !requests.data?.data.length && !isOpen) return null;
  // Those to decide first.
  const rows = requests.data?.data.toSorted((one, other) => order(one) - order(other));
  return (
    <section className="stack stack-tight">
      <h2>Access requests</h2>
      <List
        caption="Access requests"
        of={{ ...requests, data: rows }}
        empty={<p className="muted">There are no access requests yet.</p>}
        columns={[
          {
            label: "Person",
            render: ({ name, email }) => <span className="wrap-anywhere">{name ? `${name} · ${email}` : email}</span>,
          },
          { label: "Note", render: ({ note }) => note ?? <span className="muted">None</span> },
          { label: "Requested", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
          { label: "State", render: (request) => <State bucket={bucket} request={request} /> },
          actionsColumn(
            ({ id, state, email }: AccessRequest) =>
              state === "pending" && (
                <span className="row">
                  {(["approve", "deny"] as const).map((verb) => (
                    <Button
                      key={verb}
                      isSmall
                      kind={verb === "approve" ? "primary" : "secondary"}
                      denied={deniedEdit}
                      aria-label={`${words[verb]} ${email}`}
                      isBusy={decide.isPending && decide.variables.id === id && decide.variables.verb === verb}
                      onClick={() => decide.mutate({ id, verb })}
                    >
                      {words[verb]}
                    </Button>
                  ))}
                </span>
              ),
          ),
        ]}
      />
    </section>
  );
}

const words = { approve: "Approve", deny: "Deny" };

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
