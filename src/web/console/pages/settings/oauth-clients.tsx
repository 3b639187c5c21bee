import { Plus } from "lucide-react";
import { useState } from "react";
import type { OAuthClient } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Copyable, TitledCode } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { ListField, listOf } from "../../../components/rows.tsx";
import { actionsColumn, List } from "../../../components/table.tsx";
import { DayTime } from "../../../components/time.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { CallDialog, ConfirmCall, useCall } from "../../shell/requests.tsx";

const listed = 100;

/** The OAuth clients of a portal: created by the business or customers, registered, or with a metadata document. */
export function OAuthClients({ bucket }: { bucket: string }) {
  const { deniedEdit } = useSession();
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<OAuthClient>();
  const clients = useRead(["oauth-clients", bucket], (api, { signal }) =>
    api.portal(bucket).oauthClients({ limit: listed, signal }).page(),
  );
  const total = clients.data?.total ?? 0;
  return (
    <section className="stack stack-tight">
      <div className="section-head">
        <h2>Programs</h2>
        <Button icon={Plus} denied={deniedEdit} onClick={() => setCreating(true)}>
          Create program
        </Button>
      </div>
      <List
        caption="Programs"
        of={clients}
        empty={
          <p className="muted">
            No program is known yet. Create one that every customer may authorize, such as your command line.
          </p>
        }
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
          { label: "Created", render: ({ createdOn }) => <DayTime time={createdOn} /> },
          actionsColumn((client: OAuthClient) => (
            <Button
              isSmall
              denied={deniedEdit}
              aria-label={`Delete ${client.name}`}
              onClick={() => setDeleting(client)}
            >
              Delete…
            </Button>
          )),
        ]}
      />
      {total > listed && <p className="muted">The first {listed} are shown. `tollgate clients list` shows all.</p>}
      {isCreating && <NewOAuthClient bucket={bucket} onClose={() => setCreating(false)} />}
      {deleting && (
        <ConfirmCall
          title={`Delete ${deleting.name}?`}
          action="Delete program"
          call={(api) => api.portal(bucket).deleteOAuthClient(deleting.id)}
          onClose={() => setDeleting(undefined)}
        >
          All authorizations of this program end immediately, and its requests fail. {cannotReturn(deleting)}
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

interface NewOAuthClientProps {
  bucket: string;
  onClose: () => void;
}

/** Creates a client that every customer may authorize, and shows its id. */
function NewOAuthClient({ bucket, onClose }: NewOAuthClientProps) {
  const [name, setName] = useState("");
  const [redirects, setRedirects] = useState(["http://127.0.0.1/callback"]);
  const redirectUris = listOf(redirects);
  const input = { name: name.trim(), redirectUris };
  const create = useCall({ call: (api) => api.portal(bucket).createOAuthClient(input) });
  if (create.data)
    return (
      <Dialog title={`${create.data.name} can be authorized`} onClose={onClose} closeLabel="Done">
        <p>The program identifies itself with this id. It needs no secret: PKCE protects its codes.</p>
        <TitledCode title="Client id" text={create.data.clientId} />
      </Dialog>
    );
  return (
    <CallDialog title="Create program" of={create} submit="Create program" onClose={onClose} blocksClosing>
      <TextField
        label="Name"
        hint="Customers see it when they consent."
        maxLength={80}
        {...bindInput(name, setName, errorAt(create.errors, "/name"))}
      />
      <ListField
        legend="Redirect addresses"
        one="address"
        hint="Where the browser returns to: https, or a loopback address with any port."
        rows={redirects}
        onChange={setRedirects}
        at="/redirectUris"
        errors={create.errors}
      />
    </CallDialog>
  );
}
