import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { closeUnlessPending, Dialog, DialogButtons } from "../../../components/dialog.tsx";
import { Choices, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { now } from "../../../lib/clock.ts";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { formatDateTime, fromLocalInput } from "../../../lib/format.ts";
import { command } from "../../../lib/shell.ts";
import { useKeyBuckets } from "../../queries/buckets.tsx";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { KeyReveal } from "./key-reveal.tsx";

const hourMs = 3_600_000;

/** A new key, and an end for those that have none. */
export function RollKeys({
  bucket,
  name,
  onClose,
  onDone,
}: {
  bucket: string;
  name: string;
  onClose: () => void;
  onDone: () => void;
}) {
  const { api, account } = useSession();
  const isRetrievable = useKeyBuckets().data?.find((known) => known.name === bucket)?.isRetrievable ?? true;
  const [grace, setGrace] = useState("24");
  const [date, setDate] = useState("");
  const endOf = () =>
    grace === "date" ? fromLocalInput(date) : new Date(now() + Number(grace) * hourMs).toISOString();
  const roll = useMutation({
    mutationFn: async () => {
      const expiresOn = endOf();
      if (!expiresOn) throw new Error("Give the date on which the old keys end.");
      const id = await api.keys(bucket, name).roll({ expiresOn });
      onDone();
      // A bucket whose values cannot be read again shows the new one masked.
      const key = await api
        .keys(bucket, name)
        .get(id, { keyFormat: "visible" })
        .catch(() => undefined);
      if (!key?.key) toast("Keys rolled. This bucket keeps no values: create a key to see one.");
      return key?.key;
    },
    onSuccess: (value) => value === undefined && onClose(),
  });
  if (roll.data) return <KeyReveal value={roll.data} consumer={name} onClose={onClose} />;
  const end = endOf();
  const leave = closeUnlessPending(roll, onClose);
  return (
    <Dialog
      title={`Roll keys of ${name}`}
      onClose={leave}
      onSubmit={() => roll.mutate()}
      footStart={
        <CopyAs
          request={{
            method: "POST",
            path: `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${name}/roll-key`,
            body: { expiresOn: end },
          }}
          command={command(
            "keys",
            "roll",
            name,
            "--bucket",
            bucket,
            "--expires-on",
            grace === "0" ? "now" : (end ?? ""),
          )}
        />
      }
      foot={
        <DialogButtons onClose={leave} kind={grace === "0" ? "danger-fill" : "primary"} isBusy={roll.isPending}>
          Roll keys
        </DialogButtons>
      }
    >
      {roll.error && <ErrorNotice error={roll.error} />}
      <p>A new key is made. Keys without an expiry get one, so that {name} has time to change over.</p>
      {!isRetrievable && (
        <Notice kind="warning">
          This bucket keeps no values, so the new key cannot be shown. Create a key instead, and give the old ones an
          expiry.
        </Notice>
      )}
      <Choices
        legend="Old keys end"
        name="grace"
        value={grace}
        onChange={setGrace}
        options={[
          { value: "0", label: "Now" },
          { value: "1", label: "In 1 hour" },
          { value: "24", label: "In 1 day" },
          { value: "168", label: "In 7 days" },
          { value: "date", label: "Date…" },
        ]}
      />
      {grace === "date" && (
        <TextField
          label="Date and time"
          type="datetime-local"
          value={date}
          error={errorAt(fieldErrors(roll.error), "/expiresOn")}
          onChange={(event) => setDate(event.target.value)}
        />
      )}
      <Notice kind={grace === "0" ? "warning" : "info"}>
        {grace === "0"
          ? "Requests with the old keys are rejected at once. Choose this for a leaked key."
          : end
            ? `Old keys work until ${formatDateTime(end)}.`
            : "Old keys work until the date you give."}
      </Notice>
    </Dialog>
  );
}
