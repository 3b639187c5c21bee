import { Choices, TextField } from "../../../components/field.tsx";
import { now } from "../../../lib/clock.ts";
import { fromLocalInput } from "../../../lib/format.ts";

export interface Expiry {
  choice: string;
  date: string;
}

const dayMs = 86_400_000;

export const never: Expiry = { choice: "never", date: "" };

/** Null for no expiry; undefined if the date is missing. */
export function expiryTime({ choice, date }: Expiry): string | null | undefined {
  if (choice === "never") return null;
  if (choice === "date") return fromLocalInput(date);
  return new Date(now() + Number(choice) * dayMs).toISOString();
}

interface ExpiryFieldProps {
  value: Expiry;
  onChange: (value: Expiry) => void;
  error?: string | undefined;
}

export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  return (
    <div className="stack stack-tight">
      <Choices
        legend="Expires"
        name="expiry"
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice })}
        options={[
          { value: "never", label: "Never" },
          { value: "30", label: "30 days" },
          { value: "90", label: "90 days" },
          { value: "date", label: "Date…" },
        ]}
      />
      {(value.choice === "date" || error) && (
        <TextField
          label="Date and time"
          type="datetime-local"
          value={value.date}
          error={error}
          onChange={(event) => onChange({ choice: "date", date: event.target.value })}
        />
      )}
    </div>
  );
}
