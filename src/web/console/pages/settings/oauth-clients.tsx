import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import type { OAuthClient } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Copyable } from "../../../components/copy.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { useSession } from "../../queries/session.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";
import { NewOAuthClient } from "./new-oauth-client.tsx";

const listed = 100;

/** The OAuth clients of a portal: created by the business or customers, registered, or with a metadata document. */
export function OAuthClients({ bucket }: { bucket: string }) {
  const { api, deniedEdit } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<OAuthClient>();
  const clients = useQuery({
    queryKey: ["oauth-clients", bucket],
    queryFn: ({ signal }) => api.portal(bucket).oauthClients({ limit: listed, signal }).page(),
  });
  if (clients.error) return <LoadError error={clients.error} onRetry={() => clients.refetch()} />;
  const { data, total = 0 } = clients.data ?? {};
  return (
    <section className="stack stack-tight">
      <div className="section-head">
        <h2>Programs</h2>
        <Button denied={deniedEdit} onClick={() => setCreating(true)}>
          <Plus size={16} aria-hidden />
          Create program
        </Button>
      </div>
      {data?.length === 0 ? (
        <p className="muted">
          No program is known yet. Create one that every customer may authorize, such as your command line.
        </p>
      ) : (
        <Table
          caption="Programs"
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            { label: "Name", render: ({ name }) => <span className="wrap-anywhere">{name}</span> },
            { label: "Origin", render: (client) => <span className="wrap-anywhere">{originOf(client)}</span> },
            { label: "Client id", render: ({ clientId }) => <Copyable text={clientId} /> },
            {
              label: "Returns to",
              render: ({ redirectUris }) =>
                redirectUris.length === 0 ? (
                  <span className="muted">Has a secret</span>
                ) : (
                  <span className="mono wrap-anywhere">{redirectUris.join(", ")}</span>
                ),
            },
            { label: "Created", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
            {
              label: "Actions",
              isActions: true,
              render: (client) => (
                <Button
                  isSmall
                  denied={deniedEdit}
                  aria-label={`Delete ${client.name}`}
                  onClick={() => setDeleting(client)}
                >
                  Delete…
                </Button>
              ),
            },
          ]}
        />
      )}
      {total > listed && <p className="muted">The first {listed} are shown. `tollgate clients list` shows all.</p>}
      {isCreating && <NewOAuthClient bucket={bucket} onClose={() => setCreating(false)} />}
      {deleting && (
        <ConfirmCall
          title={`Delete ${deleting.name}?`}
          action="Delete program"
          call={(api) => api.portal(bucket).deleteOAuthClient(deleting.id)}
          onDone={() => {
            setDeleting(undefined);
          }}
          onClose={() => setDeleting(undefined)}
        >
          All authorizations of this program end at once, and its requests fail. {cannotReturn(deleting)}
        </ConfirmCall>
      )}
    </section>
  );
}

function originOf({ type, consumerName }: OAuthClient): string {
  if (consumerName !== undefined) return `Of ${consumerName}`;
  if (type === "document") return "Metadata document";
  return type === "dynamic" ? "Registered itself" : "Yours";
}

function cannotReturn({ type }: OAuthClient): string {
  if (type === "document") return "It is known again as soon as a customer authorizes it.";
  return type === "dynamic" ? "It can register itself again." : "This cannot be undone.";
}
