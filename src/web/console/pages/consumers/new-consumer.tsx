import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { bindForm, Checkbox, FieldError, TextArea, TextField } from "../../../components/field.tsx";
import { codeOf, errorAt } from "../../../lib/errors.ts";
import { objectOf, type Pair, PairsEditor, tagsOf } from "../../components/pairs.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";
import { KeyReveal } from "../keys/key-reveal.tsx";

export function NewConsumer({ bucket, onClose }: { bucket: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [form, setForm] = useState({
    displayName: "",
    name: "",
    description: "",
    managers: "",
    metadata: "",
    withKey: true,
    adopt: false,
  });
  const [tags, setTags] = useState<Pair[]>([]);
  const metadata = objectOf(form.metadata);
  const named = tagsOf(tags);
  const managers = form.managers.split(/[\s,;]+/).filter(Boolean);
  const consumer = {
    name: form.name,
    displayName: form.displayName || undefined,
    description: form.description || undefined,
    tags: Object.keys(named).length > 0 ? named : undefined,
    metadata: metadata instanceof Error ? undefined : metadata,
    managers: managers.length > 0 ? managers : undefined,
  };
  const create = useCall({
    call: (api) => {
      if (metadata instanceof Error) throw new Error(`Metadata ${metadata.message}.`);
      return api.consumers(bucket).create(consumer, { withApiKey: form.withKey, adoptCustomer: form.adopt });
    },
    done: ({ name }) => `Consumer ${name} created`,
    onSuccess: ({ name }) => {
      if (!form.withKey) open(name);
    },
  });
  const open = (name: string) =>
    navigate({ to: "/consumers/$bucket/$name", params: { bucket, name }, search: { tab: "keys" } });
  const created = create.data;
  const value = created?.apiKeys?.[0]?.key;
  if (created && value)
    return <KeyReveal bucket={bucket} value={value} consumer={created.name} onClose={() => open(created.name)} />;
  const isTaken = codeOf(create.error) === "customer_exists";
  const { field, checkbox } = bindForm(form, setForm, create.errors);
  return (
    <CallDialog title="Create consumer" of={create} submit="Create consumer" onClose={onClose} blocksClosing>
      <TextField
        label="Display name"
        isOptional
        placeholder="Acme Inc"
        hint="Shown on pages, in mail and on invoices."
        {...field("displayName")}
        onChange={({ target: { value } }) => {
          // The name is proposed as long as it was not typed.
          const isProposed = form.name === slugOf(form.displayName);
          setForm({ ...form, displayName: value, ...(isProposed && { name: slugOf(value) }) });
        }}
      />
      <TextField
        label="Name"
        isMono
        placeholder="acme-inc"
        hint="a-z, 0-9 and -. It cannot be changed later."
        {...field("name")}
      />
      <TextField label="Description" isOptional {...field("description")} />
      <div className="field">
        <span className="field-label">
          Tags<span className="field-optional"> (optional)</span>
        </span>
        <PairsEditor one="tag" pairs={tags} onChange={setTags} />
        <FieldError error={errorAt(create.errors, "/tags")} />
      </div>
      <details className="fold">
        <summary>Managers and metadata</summary>
        <div className="stack">
          <TextField
            label="Managers"
            isOptional
            hint="Email addresses to invite, separated by commas."
            {...field("managers")}
          />
          <TextArea
            label="Metadata"
            isOptional
            isMono
            placeholder='{"seats": 12}'
            {...field("metadata")}
            {...(metadata instanceof Error && { error: metadata.message })}
          />
        </div>
      </details>
      <Checkbox label="Create a first key" {...checkbox("withKey")} />
      {(isTaken || form.adopt) && (
        <Checkbox
          label="Transfer the subscriptions, credit, payment method and invoices of the deleted consumer"
          {...checkbox("adopt")}
        />
      )}
    </CallDialog>
  );
}

/** "Acme Inc" as the name of a consumer: acme-inc. */
function slugOf(text: string): string {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 128)
    .replace(/^-|-$/g, "");
}
