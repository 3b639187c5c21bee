import type { DeploymentTry } from "../../../../../client/index.ts";
import { SelectField, TextField } from "../../../../components/field.tsx";
import { shownKey } from "../../../../lib/format.ts";
import { useRead } from "../../../queries/session.tsx";

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

/** The credential that a route's policies expect. */
export interface Expected {
  kind: "key" | "basic" | "token";
  /** The bucket of the keys; undefined for tokens. */
  bucket: string | undefined;
  header: string;
  scheme: string;
}

/** The user's choice: no key, a key of a consumer, or a pasted value. */
export type Credential =
  | { kind: "none" }
  | { kind: "key"; key: NonNullable<DeploymentTry["key"]> }
  | { kind: "pasted"; value: string };

interface RoutePolicies {
  policies: readonly { name: string; type: string }[];
}

/** Undefined if no policy of the route authenticates requests. */
export function expectedCredential(
  { policies }: RoutePolicies,
  all: Record<string, { type: string; options?: unknown }> | undefined,
): Expected | undefined {
  for (const { name, type } of policies) {
    const options = (all?.[name]?.options ?? {}) as Record<string, unknown>;
    const bucket = typeof options.bucket === "string" ? options.bucket : undefined;
    if (type === "api-key") {
      // The first of a list; the scheme of a list belongs to one of them.
      const [first] = [options.header ?? "authorization"].flat() as string[];
      const header = first ?? "authorization";
      const scheme = typeof options.scheme === "string" ? options.scheme : "Bearer";
      const hasScheme = !Array.isArray(options.header) || header === "authorization";
      return { kind: "key", bucket, header, scheme: hasScheme ? scheme : "" };
    }
    if (type === "basic-auth") return { kind: "basic", bucket, header: "authorization", scheme: "Basic" };
    if (type === "jwt" || type === "oauth")
      return { kind: "token", bucket: undefined, header: "authorization", scheme: "Bearer" };
  }
  return undefined;
}

/** The fields of the request that carry the credential. */
export function credentialFields(
  credential: Credential,
  expected: Expected | undefined,
): { key?: NonNullable<DeploymentTry["key"]>; header?: [name: string, value: string] } {
  if (credential.kind === "key") return { key: credential.key };
  if (credential.kind === "none" || !expected || credential.value === "") return {};
  const value = expected.kind === "basic" ? btoa(`key:${credential.value}`) : credential.value;
  return { header: [expected.header, expected.scheme === "" ? value : `${expected.scheme} ${value}`] };
}
