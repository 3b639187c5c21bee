import { useState } from "react";
import { Choices, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { now } from "../../../lib/clock.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { formatDateTime, fromLocalInput } from "../../../lib/format.ts";

const hourMs = 3_600_000;

/** How long the old key keeps working. `end()` is undefined while a date is missing. */
export function useGrace() {
  const [grace, setGrace] = useState("24");
  const [date, setDate] = useState("");
  const end = (): string | undefined =>
    grace === "date" ? fromLocalInput(date) : new Date(now() + Number(grace) * hourMs).toISOString();
  return { grace, setGrace, date, setDate, end, isNow: grace === "0" };
}

export function GraceChoice({
  grace: { grace, setGrace, date, setDate, end, isNow },
  subject,
  error,
}: {
  grace: ReturnType<typeof useGrace>;
  /** The subject of a sentence about expiring keys: "Old keys", "This key". */
  subject: { text: string; isPlural: boolean };
  error: string | undefined;
}) {
  const until = end();
  const verb = subject.isPlural ? "work" : "works";
  return (
    <>
      <Choices
        legend={`${subject.text} ${subject.isPlural ? "end" : "ends"}`}
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
        <TextField label="Date and time" type="datetime-local" {...bindInput(date, setDate, error)} />
      )}
      <Notice kind={isNow ? "warning" : "info"}>
        {isNow
          ? "Requests with the old value are rejected immediately. Choose this for a leaked key."
          : until
            ? `${subject.text} ${verb} until ${formatDateTime(until)}.`
            : `${subject.text} ${verb} until the date you give.`}
      </Notice>
    </>
  );
}
