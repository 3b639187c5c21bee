import { useState } from "react";
import { type Consumer, etagOf } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindInput, FieldError, TextArea, TextField } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { objectOf, PairsEditor, pairsOf, tagsOf } from "../../components/pairs.tsx";
import { EditDialog, useEdit } from "../../shell/edit-dialog.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface Props {
  bucket: string;
  consumer: Consumer;
  onClose: () => void;
}

const formOf = ({ displayName = "", description = "", tags, metadata }: Consumer) => ({
  displayName,
  description,
  tags: pairsOf(tags),
  metadata: metadata ? JSON.stringify(metadata, null, 2) : "",
});

function changesOf({ displayName, description, tags, metadata: text }: ReturnType<typeof formOf>) {
  const metadata = objectOf(text);
  if (metadata instanceof Error) throw new Error(`Metadata ${metadata.message}.`);
  const named = tagsOf(tags);
  return {
    displayName: displayName || null,
    description: description || null,
    tags: Object.keys(named).length > 0 ? named : null,
    metadata: metadata ?? null,
  };
}

/** Edits a consumer. A concurrent change is a conflict. */
export function EditConsumer({ bucket, consumer, onClose }: Props) {
  const { form, setForm, errors, field, dialog } = useEdit({
    of: consumer,
    formOf,
    load: (api) => api.consumers(bucket).get(consumer.name),
    call: (api, base, form) => api.consumers(bucket).update(consumer.name, changesOf(form), { ifMatch: etagOf(base) }),
    done: `Consumer ${consumer.name} saved`,
    onClose,
  });
  const metadata = objectOf(form.metadata);
  return (
    <EditDialog
      {...dialog}
      title={`Edit ${consumer.name}`}
      submit="Save"
      fields={(theirs) => [
        { label: "Display name", theirs: theirs.displayName, mine: form.displayName },
        { label: "Description", theirs: theirs.description, mine: form.description },
        { label: "Tags", theirs: theirs.tags ?? {}, mine: tagsOf(form.tags) },
        { label: "Metadata", theirs: theirs.metadata, mine: metadata instanceof Error ? form.metadata : metadata },
      ]}
    >
      <TextField
        label="Display name"
        isOptional
        hint="Shown on pages, in mail and on invoices."
        {...field("displayName")}
      />
      <TextField label="Description" isOptional {...field("description")} />
      <div className="field">
        <span className="field-label">Tags</span>
        <PairsEditor one="tag" pairs={form.tags} onChange={(tags) => setForm({ ...form, tags })} />
        <FieldError error={errorAt(errors, "/tags")} />
      </div>
      <TextArea
        label="Metadata"
        isOptional
        isMono
        rows={6}
        hint="A JSON object. Gateways hand it to your code as the user's data."
        {...field("metadata")}
        {...(metadata instanceof Error && { error: metadata.message })}
      />
    </EditDialog>
  );
}

/** Suspends a consumer, or ends its suspension. */
export function SuspendConsumer({ bucket, consumer, onClose }: Props) {
  const [reason, setReason] = useState("");
  const { name, isSuspended = false } = consumer;
  const changes = isSuspended
    ? { isSuspended: false }
    : { isSuspended: true, suspensionReason: reason === "" ? null : reason };
  const save = useCall({
    call: (api) => api.consumers(bucket).update(name, changes, { ifMatch: etagOf(consumer) }),
    done: `${name} ${isSuspended ? "resumed" : "suspended"}`,
    onSuccess: onClose,
  });
  const words = isSuspended ? ["resume"] : ["suspend", ...(reason === "" ? [] : ["--reason", reason])];
  return (
    <FormDialog
      title={`${isSuspended ? "Resume" : "Suspend"} ${name}?`}
      mutation={save}
      submit={isSuspended ? "Resume" : "Suspend"}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      footStart={
        <CopyAs
          call={save.call}
          command={command("consumers", words[0]!, "--bucket", bucket, "--name", name, ...words.slice(1))}
        />
      }
    >
      {isSuspended ? (
        <p>Requests with its keys, and those of programs that it has authorized, are admitted again.</p>
      ) : (
        <>
          <p>
            Requests with its keys, and those of programs that it has authorized, are rejected from now on. In the
            portal, the customer can sign in, read the reason and pay, and change nothing.
          </p>
          <TextArea
            label="Reason"
            isOptional
            rows={3}
            hint="The customer reads it in the portal."
            {...bindInput(reason, setReason, errorAt(save.errors, "/suspensionReason"))}
          />
        </>
      )}
    </FormDialog>
  );
}
