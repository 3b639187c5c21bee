import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogButtons } from "../../../../components/dialog.tsx";
import { TextField } from "../../../../components/field.tsx";
import { ErrorNotice } from "../../../../components/notice.tsx";
import { toast } from "../../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../../lib/errors.ts";
import { fromLocalInput, toLocalInput } from "../../../../lib/format.ts";
import { command } from "../../../../lib/shell.ts";
import { useSession } from "../../../queries/session.tsx";
import { CopyAs } from "../../../shell/requests.tsx";
import type { ExportDialogProps } from "./confirmations.tsx";
import { Hour } from "./state.tsx";

/** Writes the hours from a time on, up to the first hour of the export. */
export function NewBackfill({ hourly: { name, firstHour }, onClose }: ExportDialogProps) {
  const { api, account } = useSession();
  const queries = useQueryClient();
  const [from, setFrom] = useState("");
  const time = fromLocalInput(from) ?? "";
  const backfill = useMutation({
    mutationFn: () => api.exports.backfill(name, { from: time }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["exports"] });
      toast("Earlier hours are being written");
      onClose();
    },
  });
  return (
    <Dialog
      title={`Write earlier hours to ${name}`}
      onClose={onClose}
      onSubmit={() => backfill.mutate()}
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/accounts/${account}/exports/${name}/$backfill`, body: { from: time } }}
          command={command("exports", "backfill", name, "--from", time)}
        />
      }
      foot={
        <DialogButtons onClose={onClose} isBusy={backfill.isPending} disabled={time === ""}>
          Write earlier hours
        </DialogButtons>
      }
    >
      {backfill.error && <ErrorNotice error={backfill.error} />}
      <p>
        The hours up to <Hour time={firstHour} />, its first one, as far as their data is still kept. Current hours are
        written first.
      </p>
      <TextField
        label="From"
        type="datetime-local"
        max={toLocalInput(firstHour)}
        value={from}
        error={errorAt(fieldErrors(backfill.error), "/from")}
        onChange={(event) => setFrom(event.target.value)}
      />
    </Dialog>
  );
}
