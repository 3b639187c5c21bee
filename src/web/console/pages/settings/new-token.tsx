import { useState } from "react";
import type { TokenCreate } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Notice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { ExpiryField, expiryTime, never } from "../keys/expiry.tsx";

const roles: { value: TokenCreate["role"]; label: string }[] = [
  { value: "verifier", label: "verifier: checks keys and counts usage" },
  { value: "reader", label: "reader: reads, with keys masked" },
  { value: "billing", label: "billing: reads, and changes plans and subscriptions" },
  { value: "editor", label: "editor: everything except tokens and people" },
  { value: "admin", label: "admin: everything" },
];

export function NewToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<TokenCreate["role"]>("reader");
  const [expiry, setExpiry] = useState(never);
  const expiresOn = expiryTime(expiry);
  const token = { role, ...(name ? { name } : {}), ...(expiresOn ? { expiresOn } : {}) };
  const create = useCall({
    call: (api) => {
      if (expiresOn === undefined) throw new Error("Enter the date on which the token expires.");
      return api.tokens.create(token);
    },
  });
  if (create.data)
    return (
      <Dialog
        title="Your new token"
        isWide
        isStubborn
        onClose={onClose}
        foot={
          <Button kind="primary" onClick={onClose}>
            I have stored it
          </Button>
        }
      >
        <Notice kind="warning">Copy the value now. It is not shown again.</Notice>
        <Code text={create.data.token} isSecret />
        <div className="stack stack-tight">
          <h3>Use it from a terminal</h3>
          <Code
            text={`export TOLLGATE_URL=${window.location.origin}\nexport TOLLGATE_TOKEN=${create.data.token}\ntollgate whoami`}
          />
        </div>
      </Dialog>
    );
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title="Create token"
      mutation={create}
      submit="Create token"
      onClose={onClose}
      blocksClosing
      footStart={<CopyAs of={create} />}
    >
      <TextField
        label="Name"
        isOptional
        placeholder="Gateway in Frankfurt"
        {...bindInput(name, setName, errorAt(errors, "/name"))}
      />
      <SelectField label="Role" options={roles} {...bindInput(role, setRole, errorAt(errors, "/role"))} />
      <ExpiryField value={expiry} onChange={setExpiry} error={errorAt(errors, "/expiresOn")} />
    </FormDialog>
  );
}
