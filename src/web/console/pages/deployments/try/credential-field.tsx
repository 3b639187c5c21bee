import { SelectField, TextField } from "../../../../components/field.tsx";
import { shownKey } from "../../../../lib/masked-key.ts";
import { useRead } from "../../../queries/session.tsx";
import type { Credential, Expected } from "./credential.ts";

interface Props {
  expected: Expected;
  credential: Credential;
  onChange: (credential: Credential) => void;
}

const maxKeys = 100;

/** Chooses a key of the route's bucket, or takes a pasted one. A chosen key is used without its value. */
export function CredentialField({ expected, credential, onChange }: Props) {
  const { bucket } = expected;
  const keys = useRead(
    ["keys", "try", bucket],
    (api, { signal }) => api.bucketKeys(bucket!).list({ limit: maxKeys, signal }).page(),
    {
      enabled: bucket !== undefined,
    },
  );
  const word = expected.kind === "token" ? "token" : "key";
  const options = [
    { value: "none", label: `No ${word}` },
    { value: "pasted", label: `Paste a ${word}` },
    ...(keys.data?.data ?? []).map(({ id, key, consumer, description }) => ({
      value: `${consumer.name} ${id}`,
      label: [consumer.name, shownKey(key ?? ""), description].filter(Boolean).join(" · "),
    })),
  ];
  const choose = (value: string) => {
    const [consumerName = "", keyId] = value.split(" ");
    if (value === "none") onChange({ kind: "none" });
    else if (keyId === undefined) onChange({ kind: "pasted", value: "" });
    else onChange({ kind: "key", key: { bucketName: bucket!, consumerName, keyId } });
  };
  return (
    <>
      <SelectField
        label={word === "token" ? "Token" : "Key"}
        hint={credential.kind === "key" ? "Used without its value. This is recorded in the audit log." : undefined}
        value={credential.kind === "key" ? `${credential.key.consumerName} ${credential.key.keyId}` : credential.kind}
        options={options}
        onChange={(event) => choose(event.target.value)}
      />
      {credential.kind === "pasted" && (
        <TextField
          label={`Value of the ${word}`}
          isMono
          spellCheck={false}
          value={credential.value}
          onChange={(event) => onChange({ kind: "pasted", value: event.target.value.trim() })}
        />
      )}
    </>
  );
}
