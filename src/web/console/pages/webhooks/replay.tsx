import { useState } from "react";
import type { Webhook } from "../../../../client/index.ts";
import { bindForm, Checkbox, Choices, optionsOf, TextField } from "../../../components/field.tsx";
import { now } from "../../../lib/clock.ts";
import { fromLocalInput, plural } from "../../../lib/format.ts";
import { CallDialog, useCall } from "../../shell/requests.tsx";

const hourMs = 3_600_000;

/** Sends the messages of a time range again, including those missed while the webhook was disabled. */
export function Replay({ webhook: { id }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [hours, setHours] = useState("1");
  const [dates, setDates] = useState({ from: "", to: "" });
  const [newIds, setNewIds] = useState(false);
  // One end time for the copied command and the request.
  const [end] = useState(() => new Date(now()).toISOString());
  const from =
    hours === "custom"
      ? fromLocalInput(dates.from)
      : new Date(new Date(end).getTime() - Number(hours) * hourMs).toISOString();
  const to = hours === "custom" ? fromLocalInput(dates.to) : end;
  const range = { from: from ?? "", to: to ?? "", newIds };
  const replay = useCall({
    call: (api) => {
      if (!from || !to) throw new Error("Give both times.");
      return api.webhooks.replay(id, range);
    },
    done: ({ deliveries }) =>
      deliveries === 0 ? "There are no messages in this time range" : `${plural(deliveries, "message")} queued again`,
    onSuccess: onClose,
  });
  const { field } = bindForm(dates, setDates, replay.errors);
  return (
    <CallDialog title="Replay messages" of={replay} submit="Replay" onClose={onClose}>
      <p>Every message of the time range is sent again, including delivered ones. Messages are kept for 32 days.</p>
      <Choices
        legend="Messages of"
        name="hours"
        value={hours}
        onChange={setHours}
        options={optionsOf({ 1: "The last hour", 24: "The last day", 168: "The last 7 days", custom: "From… to…" })}
      />
      {hours === "custom" && (
        <div className="form-grid">
          <TextField label="From" type="datetime-local" {...field("from")} />
          <TextField label="To" type="datetime-local" {...field("to")} />
        </div>
      )}
      <Checkbox
        label="With new ids"
        hint="For a receiver that skips messages with known ids."
        checked={newIds}
        onChange={(event) => setNewIds(event.target.checked)}
      />
    </CallDialog>
  );
}
