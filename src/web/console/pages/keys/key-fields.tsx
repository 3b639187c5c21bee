import { Checkbox, TextArea, TextField } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { objectOf } from "../../components/pairs.tsx";
import { ExpiryField } from "./expiry.tsx";
import type { KeyForm } from "./key-form.ts";

/** All fields of a key except its value. Rarely used fields are collapsed unless they are set or invalid. */
export function KeyFields({
  form,
  onChange,
  errors,
}: {
  form: KeyForm;
  onChange: (form: KeyForm) => void;
  /** The errors by JSON pointer. */
  errors: Record<string, string>;
}) {
  const metadata = objectOf(form.metadata);
  const set = (name: keyof KeyForm) => (event: { target: { value: string } }) =>
    onChange({ ...form, [name]: event.target.value });
  const isUsed = [form.permissions, form.allowedIps, form.requests, form.windowSeconds, form.metadata].some(Boolean);
  const isWrong = ["/permissions", "/allowedIps", "/rateLimit", "/metadata"].some((at) => errorAt(errors, at));
  return (
    <>
      <TextField
        label="Description"
        isOptional
        placeholder="production"
        value={form.description}
        error={errorAt(errors, "/description")}
        onChange={set("description")}
      />
      <ExpiryField
        value={form.expiry}
        onChange={(expiry) => onChange({ ...form, expiry })}
        error={errorAt(errors, "/expiresOn")}
      />
      <Checkbox
        label="Enabled"
        hint="Off: requests with it are rejected until it is enabled."
        checked={form.isEnabled}
        onChange={(event) => onChange({ ...form, isEnabled: event.target.checked })}
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
            value={form.permissions}
            error={lineError(errors, "/permissions")}
            onChange={set("permissions")}
          />
          <TextArea
            label="Allowed addresses"
            isOptional
            isMono
            rows={3}
            placeholder={"192.0.2.0/24\n2001:db8::1"}
            hint="Addresses or CIDRs, one per line. If empty, all addresses are allowed."
            value={form.allowedIps}
            error={lineError(errors, "/allowedIps")}
            onChange={set("allowedIps")}
          />
          <div className="form-grid">
            <TextField
              label="Rate limit, requests"
              isOptional
              inputMode="numeric"
              placeholder="600"
              hint="The key's own limit, in addition to those of routes."
              value={form.requests}
              error={errorAt(errors, "/rateLimit/requests")}
              onChange={set("requests")}
            />
            <TextField
              label="Rate limit, seconds"
              isOptional
              inputMode="numeric"
              placeholder="60"
              value={form.windowSeconds}
              error={errorAt(errors, "/rateLimit/windowSeconds")}
              onChange={set("windowSeconds")}
            />
          </div>
          <TextArea
            label="Metadata"
            isOptional
            isMono
            placeholder='{"team": "billing"}'
            value={form.metadata}
            error={metadata instanceof Error ? metadata.message : errorAt(errors, "/metadata")}
            onChange={set("metadata")}
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
