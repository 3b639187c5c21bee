import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, etagOf } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextField } from "../../../components/field.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { toLocalInput } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { ExpiryField, expiryTime } from "./expiry.tsx";

const expiryOf = ({ expiresOn }: ApiKey) =>
  expiresOn === null ? { choice: "never", date: "" } : { choice: "date", date: toLocalInput(expiresOn) };

export function EditKey({
  bucket,
  name,
  apiKey,
  onClose,
  onSaved,
}: {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
  onSaved: () => void;
}) {
  const { api } = useSession();
  const keys = api.keys(bucket, name);
  const [description, setDescription] = useState(apiKey.description ?? "");
  const [expiry, setExpiry] = useState(() => expiryOf(apiKey));
  // Items of lists have no ETag of their own.
  const fresh = useQuery({
    queryKey: ["key", apiKey.id],
    queryFn: () => keys.get(apiKey.id),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const save = useMutation({
    mutationFn: () => {
      const expiresOn = expiryTime(expiry);
      if (expiresOn === undefined) throw new Error("Give the date on which the key expires.");
      const isSame =
        apiKey.expiresOn !== null && expiry.date === toLocalInput(apiKey.expiresOn) && expiry.choice === "date";
      return keys.update(
        apiKey.id,
        { description: description === "" ? null : description, ...(isSame ? {} : { expiresOn }) },
        { ifMatch: fresh.data && etagOf(fresh.data) },
      );
    },
    onSuccess: () => {
      onSaved();
      toast("Key saved");
      onClose();
    },
  });
  const reload = async () => {
    const { data } = await fresh.refetch();
    if (data) {
      setDescription(data.description ?? "");
      setExpiry(expiryOf(data));
    }
    save.reset();
  };
  const errors = fieldErrors(save.error);
  return (
    <Dialog
      title={`Edit key ${apiKey.key ?? ""}`}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending} disabled={fresh.isPending}>
            Save
          </Button>
        </>
      }
    >
      {(save.error || fresh.error) && <ErrorNotice error={save.error ?? fresh.error} onReload={reload} />}
      <TextField
        label="Description"
        isOptional
        value={description}
        error={errorAt(errors, "/description")}
        onChange={(event) => setDescription(event.target.value)}
      />
      <ExpiryField value={expiry} onChange={setExpiry} error={errorAt(errors, "/expiresOn")} />
    </Dialog>
  );
}
