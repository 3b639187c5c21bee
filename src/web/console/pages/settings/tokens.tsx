import { KeyRound, Lock, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Token, TokenCreate } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Code, Copyable, TitledCode } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { bindInput, SelectField, TextField } from "../../../components/field.tsx";
import { EmptyState, Notice } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List } from "../../../components/table.tsx";
import { DayTime, RelativeTime } from "../../../components/time.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { usePaged } from "../../queries/paged.ts";
import { useSession } from "../../queries/session.tsx";
import { ListHead } from "../../shell/page.tsx";
import { AsCommand, CallDialog, ConfirmCall, useCall } from "../../shell/requests.tsx";
import { ExpiryField, expiryTime, never } from "../keys/key-fields.tsx";
import { Action } from "./action.tsx";

export function TokenSettings() {
  const { identity, canAdminister, deniedAdminister } = useSession();
  const [open, setOpen] = useState<"new" | Token>();
  const tokens = usePaged(["tokens"], (api, paging) => api.tokens.list(paging).page(), {
    size: 100,
    enabled: canAdminister,
  });
  const close = () => setOpen(undefined);
  const columns: Column<Token>[] = [
    {
      label: "Token",
      isText: "wide",
      render: ({ id, name }) => (
        <span className="row">
          <span className="strong truncate">{name ?? "Unnamed"}</span>
          {id === identity.sub && <Badge>Yours</Badge>}
        </span>
      ),
    },
    { label: "Role", render: ({ role }) => <Badge tone={role === "admin" ? "accent" : "grey"}>{role}</Badge> },
    { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
    { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
    { label: "Created", isMinor: true, render: ({ createdOn }) => <DayTime time={createdOn} /> },
    { label: "Id", isMinor: true, render: ({ id }) => <Copyable text={id} /> },
    actionsColumn((token) => (
      <Action
        icon={Trash2}
        denied={deniedAdminister}
        label={`Delete ${token.name ?? token.id}`}
        onClick={() => setOpen(token)}
      />
    )),
  ];
  return (
    <>
      <ListHead about="Credentials of the management API, for programs and gateways.">
        <AsCommand call={(api) => api.tokens.list().page()} />
        <Button icon={Plus} kind="primary" denied={deniedAdminister} onClick={() => setOpen("new")}>
          New token
        </Button>
      </ListHead>
      {canAdminister ? (
        <List
          caption="Tokens"
          of={tokens}
          {...tokens.paging}
          columns={columns}
          skeletonRows={3}
          empty={
            <EmptyState icon={KeyRound} title="No tokens yet" guide="api#tokens-and-roles">
              A token lets a program, a pipeline or a gateway call the management API with a role of its own.
            </EmptyState>
          }
        />
      ) : (
        <EmptyState icon={Lock} title="Tokens are shown to admins">
          {deniedAdminister}
        </EmptyState>
      )}
      {open === "new" && <NewToken onClose={close} />}
      {typeof open === "object" && (
        <ConfirmCall
          title={`Delete token ${open.name ?? open.id}?`}
          action="Delete token"
          call={(api) => api.tokens.delete(open.id)}
          onClose={close}
          done="Token deleted"
        >
          <p>Programs that use it are rejected immediately, and browsers signed in with it are signed out.</p>
          <p>This cannot be undone.</p>
          {open.id === identity.sub && <Notice kind="warning">You are signed in with this token yourself.</Notice>}
        </ConfirmCall>
      )}
    </>
  );
}

const roles: { value: TokenCreate["role"]; label: string }[] = [
  { value: "verifier", label: "verifier: checks keys and counts usage" },
  { value: "reader", label: "reader: reads, with keys masked" },
  { value: "billing", label: "billing: reads, and changes plans and subscriptions" },
  { value: "editor", label: "editor: everything except tokens and people" },
  { value: "admin", label: "admin: everything" },
];

function NewToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<TokenCreate["role"]>("reader");
  const [expiry, setExpiry] = useState(never);
  const expiresOn = expiryTime(expiry);
  const token = { role, name: name || undefined, expiresOn: expiresOn || undefined };
  const create = useCall({
    call: (api) => {
      if (expiresOn === undefined) throw new Error("Enter the date on which the token expires.");
      return api.tokens.create(token);
    },
  });
  if (create.data)
    return (
      <Dialog title="Your new token" isWide isStubborn onClose={onClose} closeLabel="I have stored it">
        <Notice kind="warning">Copy the value now. It is not shown again.</Notice>
        <Code text={create.data.token} isSecret />
        <TitledCode
          title="Use it from a terminal"
          text={`export TOLLGATE_URL=${window.location.origin}\nexport TOLLGATE_TOKEN=${create.data.token}\ntollgate whoami`}
        />
      </Dialog>
    );
  return (
    <CallDialog title="Create token" of={create} submit="Create token" onClose={onClose} blocksClosing>
      <TextField
        label="Name"
        isOptional
        placeholder="Gateway in Frankfurt"
        {...bindInput(name, setName, errorAt(create.errors, "/name"))}
      />
      <SelectField label="Role" options={roles} {...bindInput(role, setRole, errorAt(create.errors, "/role"))} />
      <ExpiryField value={expiry} onChange={setExpiry} error={errorAt(create.errors, "/expiresOn")} />
    </CallDialog>
  );
}
