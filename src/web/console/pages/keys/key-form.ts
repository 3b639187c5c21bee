import type { ApiKey, ApiKeyCreate, ApiKeyUpdate } from "../../../../client/index.ts";
import { toLocalInput } from "../../../lib/format.ts";
import { objectOf } from "../../components/pairs.tsx";
import { type Expiry, expiryTime, never } from "./expiry.tsx";

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
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return {
    ...(expiresOn === null ? {} : { expiresOn }),
    ...Object.fromEntries(given),
    ...(form.isEnabled ? {} : { isEnabled: false }),
  };
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
