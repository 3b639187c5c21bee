import { useState } from "react";
import type { Tollgate } from "../../../../client/index.ts";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { KeyFields } from "./key-fields.tsx";
import { emptyKeyForm, newKeyOf } from "./key-form.ts";
import { KeyReveal } from "./key-reveal.tsx";

export function NewKey({ bucket, name, onClose }: { bucket: string; name: string; onClose: () => void }) {
  const [form, setForm] = useState(emptyKeyForm);
  const [own, setOwn] = useState("");
  const send = (to: Tollgate, key: string) =>
    to.keys(bucket, name).create({ ...newKeyOf(form), ...(key ? { key } : {}) });
  const create = useCall({ call: (api) => send(api, own) });
  if (create.data?.key)
    return <KeyReveal bucket={bucket} value={create.data.key} rules={create.data} consumer={name} onClose={onClose} />;
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={`Create key for ${name}`}
      mutation={create}
      submit="Create key"
      onClose={onClose}
      blocksClosing
      footStart={
        // The key value that the user entered is a secret.
        <CopyAs call={(api) => send(api, own && "…")} />
      }
    >
      <KeyFields form={form} onChange={setForm} errors={errors} />
      <details className="fold" open={errorAt(errors, "/key") !== undefined || undefined}>
        <summary>Bring your own value</summary>
        <TextField
          label="Value"
          isOptional
          isMono
          hint="16 to 512 visible characters, for keys that your customer already has."
          {...bindInput(own, setOwn, errorAt(errors, "/key"))}
        />
      </details>
    </FormDialog>
  );
}
