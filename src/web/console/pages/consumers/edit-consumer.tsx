import { useState } from "react";
import { type Consumer, etagOf } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindInput, FieldError, TextArea, TextField } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { objectOf, PairsEditor, pairsOf, tagsOf } from "../../components/pairs.tsx";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface EditConsumerProps {
  bucket: string;
  consumer: Consumer;
  onClose: () => void;
}

/** Edits a consumer. A concurrent change is a conflict. */
export function EditConsumer({ bucket, consumer, onClose }: EditConsumerProps) {
  const { api } = useSession();
  const [before, setBefore] = useState(consumer);
  const [displayName, setDisplayName] = useState(consumer.displayName ?? "");
  const [description, setDescription] = useState(consumer.description ?? "");
  const [tags, setTags] = useState(() => pairsOf(consumer.tags));
  const [metadataText, setMetadata] = useState(consumer.metadata ? JSON.stringify(consumer.metadata, null, 2) : "");
  const metadata = objectOf(metadataText);
  const named = tagsOf(tags);
  const changes = {
    displayName: displayName === "" ? null : displayName,
    description: description === "" ? null : description,
    tags: Object.keys(named).length > 0 ? named : null,
    metadata: metadata instanceof Error ? null : (metadata ?? null),
  };
  const save = useCall({
    call: (api, base: Consumer) => {
      if (metadata instanceof Error) throw new Error(`Metadata ${metadata.message}.`);
      return api.consumers(bucket).update(consumer.name, changes, { ifMatch: etagOf(base) });
    },
    done: `Consumer ${consumer.name} saved`,
    onSuccess: onClose,
  });
  const take = (theirs: Consumer) => {
    setDisplayName(theirs.displayName ?? "");
    setDescription(theirs.description ?? "");
    setTags(pairsOf(theirs.tags));
    setMetadata(theirs.metadata ? JSON.stringify(theirs.metadata, null, 2) : "");
  };
  return (
    <EditDialog
      title={`Edit ${consumer.name}`}
      save={save}
      before={before}
      onBefore={setBefore}
      submit="Save"
      load={() => api.consumers(bucket).get(consumer.name)}
      fields={(theirs) => [
        { label: "Display name", theirs: theirs.displayName, mine: displayName },
        { label: "Description", theirs: theirs.description, mine: description },
        { label: "Tags", theirs: theirs.tags ?? {}, mine: tagsOf(tags) },
        { label: "Metadata", theirs: theirs.metadata, mine: metadata instanceof Error ? metadataText : metadata },
      ]}
      onTheirs={take}
      onClose={onClose}
    >
      <TextField
        label="Display name"
        isOptional
        hint="Shown on pages, in mail and on invoices."
        {...bindInput(displayName, setDisplayName, errorAt(save.errors, "/displayName"))}
      />
      <TextField
        label="Description"
        isOptional
        {...bindInput(description, setDescription, errorAt(save.errors, "/description"))}
      />
      <div className="field">
        <span className="field-label">Tags</span>
        <PairsEditor label="Tag" pairs={tags} onChange={setTags} />
        <FieldError error={errorAt(save.errors, "/tags")} />
      </div>
      <TextArea
        label="Metadata"
        isOptional
        isMono
        rows={6}
        hint="A JSON object. Gateways hand it to your code as the user's data."
        {...bindInput(metadataText, setMetadata)}
        error={metadata instanceof Error ? metadata.message : errorAt(save.errors, "/metadata")}
      />
    </EditDialog>
  );
}

interface SuspendConsumerProps {
  bucket: string;
  consumer: Consumer;
  onClose: () => void;
}

/** Suspends a consumer, or ends its suspension. */
export function SuspendConsumer({ bucket, consumer, onClose }: SuspendConsumerProps) {
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
