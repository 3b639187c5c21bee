import { useMutation } from "@tanstack/react-query";
import { Blocks, Plus } from "lucide-react";
import { useState } from "react";
import type {
  PortalAuthorization,
  PortalOAuthClient,
  PortalSession,
} from "../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog, FormDialog } from "../../components/dialog.tsx";
import { bindInput, Choices, TextField } from "../../components/field.tsx";
import { EmptyState, LoadError, Notice } from "../../components/notice.tsx";
import { actionsColumn, Table } from "../../components/table.tsx";
import { DayTime, RelativeTime } from "../../components/time.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { call, useRead } from "../queries/api.ts";
import { PageHead } from "../shell/page-head.tsx";

type Action =
  | { kind: "create" }
  | { kind: "end"; authorization: PortalAuthorization }
  | { kind: "delete"; client: PortalOAuthClient };

const listed = { limit: 100 };

/** What programs may do for the customer without a key, and the programs that the customer connected. */
export default function Programs({ session }: { session: PortalSession }) {
  const [action, setAction] = useState<Action>();
  const authorizations = useRead("listPortalAuthorizations", { query: listed });
  const clients = useRead("listPortalOAuthClients", { query: listed });
  // A program with a secret has one authorization, which is deleted with it.
  const signedIn = authorizations.data?.data.filter(({ client }) => client.type !== "service");
  const isWritable = session.scopes.includes("keys:write");
  const close = () => setAction(undefined);
  const connect = isWritable && (
    <Button icon={Plus} kind="primary" onClick={() => setAction({ kind: "create" })}>
      Connect a program
    </Button>
  );
  const isEmpty = authorizations.data?.data.length === 0 && clients.data?.data.length === 0;
  const error = authorizations.error ?? clients.error;
  return (
    <>
      <PageHead title="Programs" action={!isEmpty && connect}>
        Programs that use the API for you without a key. You can end each one separately.
      </PageHead>
      {error ? (
        <LoadError error={error} />
      ) : isEmpty ? (
        <EmptyState icon={Blocks} title="No programs yet" action={connect}>
          Start the sign-in in a program, and it is listed here. A service that signs in by itself needs a secret:
          connect it here.
        </EmptyState>
      ) : (
        <div className="stack stack-loose">
          {signedIn?.length !== 0 && (
            <Table
              caption="Authorized programs"
              rows={signedIn}
              columns={[
                { label: "Program", render: ({ client }) => <span className="wrap-anywhere">{client.name}</span> },
                { label: "At", render: ({ client }) => <span className="mono wrap-anywhere">{client.host}</span> },
                { label: "Permissions", render: ({ permissions }) => permissionsText(permissions) },
                { label: "By", render: ({ subject }) => <span className="wrap-anywhere">{subject}</span> },
                { label: "Since", render: ({ createdOn }) => <DayTime time={createdOn} /> },
                { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} none="Never" /> },
                ...(isWritable
                  ? [
                      actionsColumn((authorization: PortalAuthorization) => (
                        <Button
                          kind="quiet"
                          aria-label={`End ${authorization.client.name}`}
                          onClick={() => setAction({ kind: "end", authorization })}
                        >
                          End…
                        </Button>
                      )),
                    ]
                  : []),
              ]}
            />
          )}
          {clients.data && clients.data.data.length > 0 && (
            <section className="stack stack-tight">
              <h2>Connected by you</h2>
              <Table
                caption="Programs connected by you"
                rows={clients.data.data}
                columns={[
                  { label: "Name", render: ({ name }) => <span className="wrap-anywhere">{name}</span> },
                  {
                    label: "Client id",
                    render: ({ clientId }) => <span className="mono wrap-anywhere">{clientId}</span>,
                  },
                  {
                    label: "Access",
                    render: (client) => <Access client={client} authorizations={authorizations.data} />,
                  },
                  ...(isWritable
                    ? [
                        actionsColumn((client: PortalOAuthClient) => (
                          <Button
                            kind="quiet"
                            aria-label={`Delete ${client.name}`}
                            onClick={() => setAction({ kind: "delete", client })}
                          >
                            Delete…
                          </Button>
                        )),
                      ]
                    : []),
                ]}
              />
            </section>
          )}
        </div>
      )}
      {action?.kind === "create" && <CreateProgram onClose={close} />}
      {action?.kind === "end" && (
        <Confirm
          title={`End ${action.authorization.client.name}?`}
          action="End authorization"
          run={() => call("endPortalAuthorization", { params: { authorizationId: action.authorization.id } })}
          onClose={close}
        >
          Its requests fail immediately. To use it again, authorize it again.
        </Confirm>
      )}
      {action?.kind === "delete" && (
        <Confirm
          title={`Delete ${action.client.name}?`}
          action="Delete program"
          run={() => call("deletePortalOAuthClient", { params: { oauthClientId: action.client.id } })}
          onClose={close}
        >
          Its authorizations end immediately, and its client id stops working.
        </Confirm>
      )}
    </>
  );
}

interface AccessProps {
  client: PortalOAuthClient;
  authorizations: { data: PortalAuthorization[] } | undefined;
}

function Access({ client: { id, type }, authorizations }: AccessProps) {
  if (type !== "service") return <>After sign-in</>;
  const authorization = authorizations?.data.find(({ client }) => client.id === id);
  // It ends with the person who connected it.
  if (!authorization) return <span className="muted">{authorizations ? "Ended" : ""}</span>;
  const { permissions } = authorization;
  return <>{permissions.length === 0 ? "With its secret" : `With its secret: ${permissions.join(", ")}`}</>;
}

const permissionsText = (permissions: string[]) =>
  permissions.length === 0 ? <span className="muted">None</span> : permissions.join(", ");

type Kind = "service" | "person";

/** Creates a client: with a secret, or with a redirect address. */
function CreateProgram({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("service");
  const [redirectUri, setRedirectUri] = useState("http://127.0.0.1/callback");
  const create = useMutation({
    mutationFn: () => {
      const redirects = kind === "service" ? {} : { redirectUris: [redirectUri.trim()] };
      return call("createPortalOAuthClient", { body: { name: name.trim(), ...redirects } });
    },
  });
  if (create.data) return <Created client={create.data} onClose={onClose} />;
  const errors = fieldErrors(create.error);
  return (
    <FormDialog title="Connect a program" mutation={create} submit="Connect" onClose={onClose} blocksClosing>
      <TextField label="Name" maxLength={80} {...bindInput(name, setName, errorAt(errors, "/name"))} />
      <Choices
        legend="The program"
        name="kind"
        value={kind}
        onChange={(value) => setKind(value as Kind)}
        options={[
          { value: "service", label: "A service that signs in by itself, with a secret" },
          { value: "person", label: "Signs a person in, in a browser" },
        ]}
      />
      {kind === "person" && (
        <TextField
          label="Redirect address"
          hint="Where the browser returns to. A loopback address may have any port."
          {...bindInput(redirectUri, setRedirectUri)}
          error={errorAt(errors, "/redirectUris/0") ?? errorAt(errors, "/redirectUris")}
        />
      )}
    </FormDialog>
  );
}

interface CreatedProps {
  client: { clientId: string; clientSecret?: string };
  onClose: () => void;
}

function Created({ client: { clientId, clientSecret }, onClose }: CreatedProps) {
  const token = `curl ${window.location.origin}/oauth/token -u "${clientId}:$SECRET" -d grant_type=client_credentials`;
  return (
    <Dialog
      title="The program is connected"
      isWide
      isStubborn={clientSecret !== undefined}
      onClose={onClose}
      closeLabel={clientSecret === undefined ? "Done" : "I have stored it"}
    >
      <div className="stack stack-tight">
        <h3>Client id</h3>
        <Code text={clientId} />
      </div>
      {clientSecret !== undefined && (
        <>
          <Notice kind="warning">Copy the secret now and store it in a safe place. It is not shown again.</Notice>
          <div className="stack stack-tight">
            <h3>Secret</h3>
            <Code text={clientSecret} isSecret />
          </div>
          <div className="stack stack-tight">
            <h3>Get a token</h3>
            <Code text={token} />
          </div>
        </>
      )}
    </Dialog>
  );
}
