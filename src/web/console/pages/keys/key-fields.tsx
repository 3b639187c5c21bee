import { Checkbox, TextArea, TextField } from "../../../components/field.tsx";
import { errorAt } from "../../../lib/errors.ts";
import { bindForm } from "../../../lib/form-fields.ts";
import { objectOf } from "../../components/pairs.tsx";
import { ExpiryField } from "./expiry.tsx";
import type { KeyForm } from "./key-form.ts";

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
            error={metadata instanceof Error ? metadata.message : errorAt(errors, "/metadata")}
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
