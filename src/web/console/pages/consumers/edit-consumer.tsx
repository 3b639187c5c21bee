import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Consumer, etagOf } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextArea, TextField } from "../../../components/field.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { objectOf, PairsEditor, pairsOf, tagsOf } from "../../queries/pairs.tsx";
import { useSession } from "../../queries/session.tsx";

/** Changes what nobody else has changed since it was opened. */
export function EditConsumer({
  bucket,
  consumer,
  onClose,
}: {
  bucket: string;
  consumer: Consumer;
  onClose: () => void;
}) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [before, setBefore] = useState(consumer);
  const [description, setDescription] = useState(consumer.description ?? "");
  const [tags, setTags] = useState(() => pairsOf(consumer.tags));
  const [metadataText, setMetadata] = useState(consumer.metadata ? JSON.stringify(consumer.metadata, null, 2) : "");
  const metadata = objectOf(metadataText);
  const key = ["consumer", bucket, consumer.name];
  const save = useMutation({
    mutationFn: () => {
      if (metadata instanceof Error) throw new Error(`Metadata ${metadata.message}.`);
      const named = tagsOf(tags);
      const changes = {
        description: description === "" ? null : description,
        tags: Object.keys(named).length > 0 ? named : null,
        metadata: metadata ?? null,
      };
      return api.consumers(bucket).update(consumer.name, changes, { ifMatch: etagOf(before) });
    },
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: key });
      queries.invalidateQueries({ queryKey: ["consumers"] });
      toast(`Consumer ${consumer.name} saved`);
      onClose();
    },
  });
  const reload = async () => {
    const fresh = await api.consumers(bucket).get(consumer.name);
    setBefore(fresh);
    setDescription(fresh.description ?? "");
    setTags(pairsOf(fresh.tags));
    setMetadata(fresh.metadata ? JSON.stringify(fresh.metadata, null, 2) : "");
    save.reset();
  };
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      title={`Edit ${consumer.name}`}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      {save.error && <ErrorNotice error={save.error} onReload={reload} />}
      <TextField
        label="Description"
        isOptional
        value={description}
        error={errorAt(errors, "/description")}
        onChange={(event) => setDescription(event.target.value)}
      />
      <div className="field">
        <span className="field-label">Tags</span>
        <PairsEditor label="Tag" pairs={tags} onChange={setTags} />
        {errorAt(errors, "/tags") && <p className="field-error">{errorAt(errors, "/tags")}</p>}
      </div>
      <TextArea
        label="Metadata"
        isOptional
        isMono
        rows={6}
        hint="A JSON object. Gateways hand it to your code as the user's data."
        value={metadataText}
        error={metadata instanceof Error ? metadata.message : errorAt(errors, "/metadata")}
        onChange={(event) => setMetadata(event.target.value)}
      />
    </Dialog>
  );
}
