import { bindForm, TextField } from "../../../../components/field.tsx";

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
  const { field } = bindForm(value, onChange, errors, { at, isTrimmed: true });
  return (
    <>
      <TextField label="Access key ID" isMono {...field("accessKeyId")} />
      <TextField
        label="Secret access key"
        isMono
        type="password"
        autoComplete="off"
        hint="Needs the permission to put objects (s3:PutObject). It is stored encrypted, and never shown again."
        {...field("secretAccessKey")}
      />
    </>
  );
}
