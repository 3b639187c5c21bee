import { useState } from "react";
import { bindForm, Checkbox, TextField } from "../../../components/field.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";

export function NewKeyBucket({ onClose, onCreated }: { onClose: () => void; onCreated: (name: string) => void }) {
  const [form, setForm] = useState({ name: "", description: "", keyPrefix: "", isRetrievable: true });
  const { description, keyPrefix, ...rest } = form;
  const bucket = { ...rest, description: description || undefined, keyPrefix: keyPrefix || undefined };
  const create = useCall({
    call: (api) => api.buckets.create(bucket),
    done: ({ name }) => `Bucket ${name} created`,
    onSuccess: ({ name }) => onCreated(name),
  });
  const { field, checkbox } = bindForm(form, setForm, create.errors);
  return (
    <CallDialog title="Create key bucket" of={create} submit="Create bucket" onClose={onClose}>
      <TextField
        label="Name"
        isMono
        hint="a-z, 0-9, _ and -. One bucket for each API or environment."
        {...field("name")}
      />
      <TextField label="Description" isOptional {...field("description")} />
      <TextField label="Key prefix" isOptional isMono placeholder="tg" {...field("keyPrefix")} />
      <Checkbox
        label="Key values can be shown again later"
        hint="Fixed after creation. Otherwise a value is shown only when the key is created."
        {...checkbox("isRetrievable")}
      />
    </CallDialog>
  );
}
