import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogButtons } from "../../../../components/dialog.tsx";
import { ErrorNotice } from "../../../../components/notice.tsx";
import { toast } from "../../../../components/toast.tsx";
import { fieldErrors } from "../../../../lib/errors.ts";
import { command } from "../../../../lib/shell.ts";
import { useSession } from "../../../queries/session.tsx";
import { CopyAs } from "../../../shell/requests.tsx";
import type { ExportDialogProps } from "./confirmations.tsx";
import { CredentialFields, emptyCredential, shownCredential } from "./credential-fields.tsx";

export function NewCredential({ hourly: { name, to }, onClose }: ExportDialogProps) {
  const { api, account } = useSession();
  const queries = useQueryClient();
  const [credential, setCredential] = useState({ ...emptyCredential, accessKeyId: to.accessKeyId ?? "" });
  const save = useMutation({
    mutationFn: () => api.exports.update(name, { credential }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["exports"] });
      toast("Credential replaced");
      onClose();
    },
  });
  return (
    <Dialog
      title={`Replace the credential of ${name}`}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      footStart={
        <CopyAs
          request={{
            method: "PATCH",
            path: `/v1/accounts/${account}/exports/${name}`,
            body: { credential: shownCredential(credential) },
          }}
          command={command("exports", "update", name, "--credential")}
        />
      }
      foot={
        <DialogButtons onClose={onClose} isBusy={save.isPending}>
          Replace credential
        </DialogButtons>
      }
    >
      {save.error && <ErrorNotice error={save.error} />}
      <p>A failing export is tried again at once with it.</p>
      <CredentialFields value={credential} errors={fieldErrors(save.error)} at="/credential" onChange={setCredential} />
    </Dialog>
  );
}
