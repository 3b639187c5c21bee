import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

export function NewKeyBucket({ onClose, onCreated }: { onClose: () => void; onCreated: (name: string) => void }) {
  const { api, account } = useSession();
  const queries = useQueryClient();
  const [form, setForm] = useState({ name: "", description: "", keyPrefix: "", isRetrievable: true });
  const bucket = {
    name: form.name,
    isRetrievable: form.isRetrievable,
    ...(form.description ? { description: form.description } : {}),
    ...(form.keyPrefix ? { keyPrefix: form.keyPrefix } : {}),
  };
  const create = useMutation({
    mutationFn: () => api.buckets.create(bucket),
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ["key-buckets"] });
      toast(`Bucket ${name} created`);
      onCreated(name);
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title="Create key bucket"
      mutation={create}
      submit="Create bucket"
      onClose={onClose}
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/accounts/${account}/key-buckets`, body: bucket }}
          command={command(
            ...["buckets", "create", form.name],
            ...(form.description ? ["--description", form.description] : []),
            ...(form.keyPrefix ? ["--prefix", form.keyPrefix] : []),
            ...(form.isRetrievable ? [] : ["--not-retrievable"]),
          )}
        />
      }
    >
      <TextField
        label="Name"
        isMono
        hint="a-z, 0-9, _ and -. One bucket for each API or environment."
        value={form.name}
        error={errorAt(errors, "/name")}
        onChange={(event) => setForm({ ...form, name: event.target.value })}
      />
      <TextField
        label="Description"
        isOptional
        value={form.description}
        error={errorAt(errors, "/description")}
        onChange={(event) => setForm({ ...form, description: event.target.value })}
      />
      <TextField
        label="Key prefix"
        isOptional
        isMono
        placeholder="tg"
        value={form.keyPrefix}
        error={errorAt(errors, "/keyPrefix")}
        onChange={(event) => setForm({ ...form, keyPrefix: event.target.value })}
      />
      <Checkbox
        label="Key values can be shown again later"
        hint="Fixed after creation. Otherwise a value is shown only when the key is created."
        checked={form.isRetrievable}
        onChange={(event) => setForm({ ...form, isRetrievable: event.target.checked })}
      />
    </FormDialog>
  );
}
