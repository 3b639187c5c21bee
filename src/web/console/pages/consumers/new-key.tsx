import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextField } from "../../../components/field.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { useSession } from "../../queries/session.tsx";
import { ExpiryField, expiryTime, never } from "./expiry.tsx";
import { KeyReveal } from "./key-reveal.tsx";

export function NewKey({
  bucket,
  name,
  onClose,
  onCreated,
}: {
  bucket: string;
  name: string;
  onClose: () => void;
  onCreated: () => void;
}) {
  const { api } = useSession();
  const [description, setDescription] = useState("");
  const [expiry, setExpiry] = useState(never);
  const [own, setOwn] = useState("");
  const create = useMutation({
    mutationFn: () => {
      const expiresOn = expiryTime(expiry);
      if (expiresOn === undefined) throw new Error("Give the date on which the key expires.");
      return api
        .keys(bucket, name)
        .create({ expiresOn, ...(description ? { description } : {}), ...(own ? { key: own } : {}) });
    },
    onSuccess: onCreated,
  });
  if (create.data?.key) return <KeyReveal value={create.data.key} consumer={name} onClose={onClose} />;
  const errors = fieldErrors(create.error);
  return (
    <Dialog
      title={`Create key for ${name}`}
      onClose={onClose}
      onSubmit={() => create.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isPending}>
            Create key
          </Button>
        </>
      }
    >
      {create.error && <ErrorNotice error={create.error} />}
      <TextField
        label="Description"
        isOptional
        placeholder="production"
        value={description}
        error={errorAt(errors, "/description")}
        onChange={(event) => setDescription(event.target.value)}
      />
      <ExpiryField value={expiry} onChange={setExpiry} error={errorAt(errors, "/expiresOn")} />
      <details className="fold">
        <summary>Bring your own value</summary>
        <TextField
          label="Value"
          isOptional
          isMono
          hint="16 to 512 visible characters, for keys that your customer already holds."
          value={own}
          error={errorAt(errors, "/key")}
          onChange={(event) => setOwn(event.target.value)}
        />
      </details>
    </Dialog>
  );
}
