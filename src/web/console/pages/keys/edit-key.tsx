import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, etagOf } from "../../../../client/index.ts";
import type { ConflictField } from "../../../components/conflict.tsx";
import { FormDialog } from "../../../components/dialog.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { shownKey } from "../../../lib/format.ts";
import { useSession } from "../../queries/session.tsx";
import { SaveError } from "../../shell/edit-dialog.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";
import { KeyFields, type KeyForm, keyChangesOf, keyFormOf, linesOf } from "./key-fields.tsx";

interface EditKeyProps {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
}

/** Edits a key. A concurrent change is a conflict. */
export function EditKey({ bucket, name, apiKey, onClose }: EditKeyProps) {
  const { api } = useSession();
  const keys = api.keys(bucket, name);
  const [form, setForm] = useState(() => keyFormOf(apiKey));
  // Items of lists have no ETag.
  const fresh = useQuery({
    queryKey: ["key", apiKey.id],
    queryFn: () => keys.get(apiKey.id),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const save = useCall({
    call: (api, base: ApiKey) =>
      api.keys(bucket, name).update(apiKey.id, keyChangesOf(form, base), { ifMatch: etagOf(base) }),
    done: "Key saved",
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={`Edit key ${shownKey(apiKey.key ?? "")}`}
      mutation={save}
      submit="Save"
      disabled={fresh.isPending}
      hasOwnError
      onClose={onClose}
      onSubmit={() => fresh.data && save.mutate(fresh.data)}
      footStart={<CopyAs of={save} value={apiKey} />}
    >
      {fresh.error && <ErrorNotice error={fresh.error} />}
      <SaveError
        save={save}
        load={async () => (await fresh.refetch({ throwOnError: true })).data!}
        fields={(theirs) => conflictFields(theirs, form)}
        onTheirs={(theirs) => setForm(keyFormOf(theirs))}
      />
      <KeyFields form={form} onChange={setForm} errors={save.errors} />
    </FormDialog>
  );
}

function conflictFields(key: ApiKey, mine: KeyForm): ConflictField[] {
  const theirs = keyFormOf(key);
  const expiry = ({ expiry: { choice, date } }: KeyForm) =>
    choice === "never" ? "Never" : choice === "date" ? date.replace("T", " ") : `In ${choice} days`;
  const limit = ({ requests, windowSeconds }: KeyForm) => requests && `${requests} in ${windowSeconds} s`;
  return [
    { label: "Description", theirs: theirs.description, mine: mine.description },
    { label: "Expires", theirs: expiry(theirs), mine: expiry(mine) },
    { label: "Enabled", theirs: theirs.isEnabled ? "Yes" : "No", mine: mine.isEnabled ? "Yes" : "No" },
    { label: "Permissions", theirs: linesOf(theirs.permissions), mine: linesOf(mine.permissions) },
    { label: "Addresses", theirs: linesOf(theirs.allowedIps), mine: linesOf(mine.allowedIps) },
    { label: "Limit", theirs: limit(theirs), mine: limit(mine) },
    { label: "Metadata", theirs: theirs.metadata, mine: mine.metadata },
  ];
}
