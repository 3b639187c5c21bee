import { TextField } from "../../../../components/field.tsx";
import { errorAt } from "../../../../lib/errors.ts";

export const emptyCredential = { accessKeyId: "", secretAccessKey: "" };
type Credential = typeof emptyCredential;

/** For requests to copy, which must not contain the secret. */
export const shownCredential = ({ accessKeyId }: Credential) => ({ accessKeyId, secretAccessKey: "…" });

interface CredentialFieldsProps {
  value: Credential;
  errors: Record<string, string>;
  /** The place of the credential in the request. */
  at: string;
  onChange: (value: Credential) => void;
}

export function CredentialFields({ value, errors, at, onChange }: CredentialFieldsProps) {
  return (
    <>
      <TextField
        label="Access key ID"
        isMono
        value={value.accessKeyId}
        error={errorAt(errors, `${at}/accessKeyId`)}
        onChange={(event) => onChange({ ...value, accessKeyId: event.target.value.trim() })}
      />
      <TextField
        label="Secret access key"
        isMono
        type="password"
        autoComplete="off"
        hint="Needs the permission to put objects (s3:PutObject). It is stored encrypted, and never shown again."
        value={value.secretAccessKey}
        error={errorAt(errors, `${at}/secretAccessKey`)}
        onChange={(event) => onChange({ ...value, secretAccessKey: event.target.value.trim() })}
      />
    </>
  );
}
