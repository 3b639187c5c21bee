import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalInvite, PortalPerson } from "../../../client/transport/portal-schema.gen.ts";
import { Confirm } from "../../components/confirm.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { bindInput, Checkbox, Choices, FieldError, TextField } from "../../components/field.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { call } from "../queries/api.ts";
import { leave } from "../queries/session.ts";
import { allScopes, type PortalScope, scopeLabels } from "./scopes.ts";

export type PeopleAction =
  | { kind: "invite" }
  | { kind: "change" | "remove"; person: PortalPerson }
  | { kind: "withdraw"; invite: PortalInvite };

interface DialogProps {
  onClose: () => void;
}

export function PeopleDialog({ action, ...props }: DialogProps & { action: PeopleAction }) {
  switch (action.kind) {
    case "invite":
      return <InvitePerson {...props} />;
    case "change":
      return <ChangePerson {...props} person={action.person} />;
    case "remove":
      return <RemovePerson {...props} person={action.person} />;
    case "withdraw":
      return <WithdrawInvite {...props} invite={action.invite} />;
  }
}

function InvitePerson({ onClose }: DialogProps) {
  const [email, setEmail] = useState("");
  const [scopes, setScopes] = useState<PortalScope[] | null>(null);
  const invite = useMutation({
    mutationFn: () =>
      call("invitePortalPerson", { body: { email: email.trim(), ...(scopes === null ? {} : { scopes }) } }),
    onSuccess: onClose,
  });
  const errors = fieldErrors(invite.error);
  return (
    <FormDialog title="Invite a person" mutation={invite} submit="Send invite" onClose={onClose} blocksClosing>
      <TextField
        label="Email"
        type="email"
        required
        hint="They sign in with this address, within 7 days."
        {...bindInput(email, setEmail, errorAt(errors, "/email"))}
      />
      <ScopeFields scopes={scopes} error={errorAt(errors, "/scopes")} onChange={setScopes} />
    </FormDialog>
  );
}

function ChangePerson({ person, onClose }: DialogProps & { person: PortalPerson }) {
  const isAll = allScopes.every((scope) => person.scopes.includes(scope));
  const [scopes, setScopes] = useState<PortalScope[] | null>(isAll ? null : person.scopes);
  const change = useMutation({
    mutationFn: () => call("updatePortalPerson", { params: { managerId: person.id }, body: { scopes } }),
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Change the access of ${person.name}`}
      mutation={change}
      submit="Change access"
      onClose={onClose}
      blocksClosing
    >
      <ScopeFields scopes={scopes} error={errorAt(fieldErrors(change.error), "/scopes")} onChange={setScopes} />
    </FormDialog>
  );
}

/** Checked when "Selected permissions" is chosen. */
const presetScopes: PortalScope[] = ["usage:read", "requests:read"];

interface ScopeFieldsProps {
  scopes: PortalScope[] | null;
  error: string | undefined;
  onChange: (scopes: PortalScope[] | null) => void;
}

/** The fields for what a person may do. `scopes` is null if they may do everything. */
function ScopeFields({ scopes, error, onChange }: ScopeFieldsProps) {
  return (
    <>
      <Choices
        legend="May do"
        name="access"
        value={scopes === null ? "all" : "some"}
        onChange={(value) => onChange(value === "all" ? null : presetScopes)}
        options={[
          { value: "all", label: "Everything" },
          { value: "some", label: "Selected permissions" },
        ]}
      />
      {scopes && (
        <fieldset className="stack stack-tight plain-fieldset">
          <legend className="visually-hidden">What the person may do</legend>
          {allScopes.map((scope) => (
            <Checkbox
              key={scope}
              label={scopeLabels[scope]}
              checked={scopes.includes(scope)}
              onChange={(event) =>
                onChange(allScopes.filter((each) => (each === scope ? event.target.checked : scopes.includes(each))))
              }
            />
          ))}
          <FieldError error={error} />
        </fieldset>
      )}
    </>
  );
}

function RemovePerson({ person, onClose }: DialogProps & { person: PortalPerson }) {
  const { isSelf } = person;
  return (
    <Confirm
      title={isSelf ? "Leave this account?" : `Remove ${person.name}?`}
      action={isSelf ? "Leave" : `Remove ${person.name}`}
      run={() => call("removePortalPerson", { params: { managerId: person.id } })}
      onDone={() => {
        onClose();
        if (isSelf) leave();
      }}
      onClose={onClose}
    >
      <p>
        {isSelf ? "You are" : "They are"} signed out immediately. Keys keep working. Another person can invite{" "}
        {isSelf ? "you" : "them"} again.
      </p>
    </Confirm>
  );
}

function WithdrawInvite({ invite, onClose }: DialogProps & { invite: PortalInvite }) {
  return (
    <Confirm
      title={`Withdraw the invite for ${invite.email}?`}
      action="Withdraw invite"
      run={() => call("withdrawPortalInvite", { params: { inviteId: invite.id } })}
      onClose={onClose}
    >
      <p>They can no longer join with it. You can invite them again.</p>
    </Confirm>
  );
}
