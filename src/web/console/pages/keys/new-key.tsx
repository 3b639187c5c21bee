import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKeyCreate } from "../../../../client/index.ts";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { KeyFields } from "./key-fields.tsx";
import { emptyKeyForm, type KeyForm, keyOptionsOf, newKeyOf } from "./key-form.ts";
import { KeyReveal } from "./key-reveal.tsx";

export function NewKey({ bucket, name, onClose }: { bucket: string; name: string; onClose: () => void }) {
  const { api, account } = useSession();
  const [form, setForm] = useState(emptyKeyForm);
  const [own, setOwn] = useState("");
  const create = useMutation({
    mutationFn: () => api.keys(bucket, name).create({ ...newKeyOf(form), ...(own ? { key: own } : {}) }),
  });
  if (create.data?.key)
    return <KeyReveal bucket={bucket} value={create.data.key} rules={create.data} consumer={name} onClose={onClose} />;
  const errors = fieldErrors(create.error);
  const options = keyOptionsOf(form);
  return (
    <FormDialog
      title={`Create key for ${name}`}
      mutation={create}
      submit="Create key"
      onClose={onClose}
      blocksClosing
      footStart={
        <CopyAs
          request={{
            method: "POST",
            path: `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${name}/keys`,
            body: bodyOf(form),
          }}
          command={
            options && command("keys", "create", name, "--bucket", bucket, ...options, ...(own ? ["--key-stdin"] : []))
          }
        />
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

/** The body for copying, without the key value that the user entered, because it is a secret. */
function bodyOf(form: KeyForm): ApiKeyCreate {
  try {
    return newKeyOf(form);
  } catch {
    return {};
  }
}
