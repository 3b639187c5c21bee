import type { ApiKey, ApiKeyCreate, ApiKeyUpdate } from "../../../../client/index.ts";
import { bindForm, Checkbox, Choices, TextArea, TextField } from "../../../components/field.tsx";
import { now } from "../../../lib/clock.ts";
import { errorAt } from "../../../lib/errors.ts";
import { fromLocalInput, toLocalInput } from "../../../lib/format.ts";
import { objectOf } from "../../components/pairs.tsx";

interface KeyFieldsProps {
  form: KeyForm;
  onChange: (form: KeyForm) => void;
  /** The errors by JSON pointer. */
  errors: Record<string, string>;
}

/** All fields of a key except its value. Rarely used fields are collapsed unless they are set or invalid. */
export function KeyFields({ form, onChange, errors }: KeyFieldsProps) {
  const metadata = objectOf(form.metadata);
  const { field, checkbox } = bindForm(form, onChange, errors);
  const isUsed = [form.permissions, form.allowedIps, form.requests, form.windowSeconds, form.metadata].some(Boolean);
  const isWrong = ["/permissions", "/allowedIps", "/rateLimit", "/metadata"].some((at) => errorAt(errors, at));
  return (
    <>
      <TextField label="Description" isOptional placeholder="production" {...field("description")} />
      <ExpiryField
        value={form.expiry}
        onChange={(expiry) => onChange({ ...form, expiry })}
        error={errorAt(errors, "/expiresOn")}
      />
      <Checkbox
        label="Enabled"
        hint="Off: requests with it are rejected until it is enabled."
        {...checkbox("isEnabled")}
      />
      <details className="fold" open={isUsed || isWrong || undefined}>
        <summary>Permissions, addresses, limit and metadata</summary>
        <div className="stack">
          <TextArea
            label="Permissions"
            isOptional
            isMono
            rows={3}
            placeholder={"orders:read\norders:*"}
            hint="One per line. orders:* grants everything that begins with orders:."
            {...field("permissions")}
            error={lineError(errors, "/permissions")}
          />
          <TextArea
            label="Allowed addresses"
            isOptional
            isMono
            rows={3}
            placeholder={"192.0.2.0/24\n2001:db8::1"}
            hint="Addresses or CIDRs, one per line. If empty, all addresses are allowed."
            {...field("allowedIps")}
            error={lineError(errors, "/allowedIps")}
          />
          <div className="form-grid">
            <TextField
              label="Rate limit, requests"
              isOptional
              inputMode="numeric"
              placeholder="600"
              hint="The key's own limit, in addition to those of routes."
              {...field("requests", "/rateLimit/requests")}
            />
            <TextField
              label="Rate limit, seconds"
              isOptional
              inputMode="numeric"
              placeholder="60"
              {...field("windowSeconds", "/rateLimit/windowSeconds")}
            />
          </div>
          <TextArea
            label="Metadata"
            isOptional
            isMono
            placeholder='{"team": "billing"}'
            {...field("metadata")}
            {...(metadata instanceof Error && { error: metadata.message })}
          />
        </div>
      </details>
    </>
  );
}

/** The error of a list, with the line number: `/permissions/2` is line 3. */
function lineError(errors: Record<string, string>, pointer: string): string | undefined {
  const [at, detail] = Object.entries(errors).find(([each]) => each.startsWith(`${pointer}/`)) ?? [];
  if (at === undefined) return errors[pointer];
  return `Entry ${Number(at.slice(pointer.length + 1)) + 1} ${detail}`;
}

interface Expiry {
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

/** The fields of a key as a person types them: lists have one entry per line. */
export interface KeyForm {
  description: string;
  expiry: Expiry;
  isEnabled: boolean;
  permissions: string;
  allowedIps: string;
  requests: string;
  windowSeconds: string;
  metadata: string;
}

export const emptyKeyForm: KeyForm = {
  description: "",
  expiry: never,
  isEnabled: true,
  permissions: "",
  allowedIps: "",
  requests: "",
  windowSeconds: "",
  metadata: "",
};

export function keyFormOf(key: ApiKey): KeyForm {
  const { description = "", expiresOn, isEnabled, permissions = [], allowedIps = [], rateLimit, metadata } = key;
  return {
    description,
    expiry: expiresOn === null ? never : { choice: "date", date: toLocalInput(expiresOn) },
    isEnabled,
    permissions: permissions.join("\n"),
    allowedIps: allowedIps.join("\n"),
    requests: rateLimit ? String(rateLimit.requests) : "",
    windowSeconds: rateLimit ? String(rateLimit.windowSeconds) : "",
    metadata: metadata ? JSON.stringify(metadata, null, 2) : "",
  };
}

export const linesOf = (text: string): string[] =>
  text
    .split(/[\n,]+/)
    .map((line) => line.trim())
    .filter(Boolean);

/** The form's values, with undefined for empty fields. Throws if the form cannot be sent. */
function valuesOf(form: KeyForm) {
  const expiresOn = expiryTime(form.expiry);
  if (expiresOn === undefined) throw new Error("Enter the date on which the key expires.");
  const metadata = objectOf(form.metadata);
  if (metadata instanceof Error) throw new Error(`Metadata ${metadata.message}.`);
  const permissions = linesOf(form.permissions);
  const allowedIps = linesOf(form.allowedIps);
  const hasLimit = form.requests.trim() !== "" || form.windowSeconds.trim() !== "";
  return {
    expiresOn,
    description: form.description || undefined,
    permissions: permissions.length > 0 ? permissions : undefined,
    allowedIps: allowedIps.length > 0 ? allowedIps : undefined,
    // Text that is not a number is sent as it is: the server's error names the field.
    rateLimit: hasLimit
      ? { requests: numberOf(form.requests), windowSeconds: numberOf(form.windowSeconds) }
      : undefined,
    metadata,
  };
}

const numberOf = (text: string): number => (text.trim() === "" ? null : Number(text)) as number;

export function newKeyOf(form: KeyForm): ApiKeyCreate {
  const { expiresOn, ...values } = valuesOf(form);
  return { ...values, expiresOn: expiresOn ?? undefined, isEnabled: form.isEnabled ? undefined : false };
}

/** Empty fields are cleared. An unchanged expiry keeps its seconds, which the field does not show. */
export function keyChangesOf(form: KeyForm, before: ApiKey): ApiKeyUpdate {
  const { expiresOn, ...values } = valuesOf(form);
  const isSame =
    before.expiresOn !== null && form.expiry.choice === "date" && form.expiry.date === toLocalInput(before.expiresOn);
  return {
    ...(isSame ? {} : { expiresOn }),
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null])),
    isEnabled: form.isEnabled,
  };
}
