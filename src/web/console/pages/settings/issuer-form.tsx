import { useState } from "react";
import type { TrustedIssuer, TrustedIssuerCreate, TrustedIssuerUpdate } from "../../../../client/index.ts";
import { bindForm, optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { Rows } from "../../../components/rows.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";

const roles = optionsOf({ editor: "editor: deploys, and changes", reader: "reader: reads" });

const reaches = [
  { value: "PREVIEW", label: "Previews only" },
  { value: "PRODUCTION", label: "Production only" },
  { value: "PREVIEW PRODUCTION", label: "Production and previews" },
];

interface FormProps {
  /** Undefined for a new one. */
  issuer?: TrustedIssuer;
  onClose: () => void;
}

export function IssuerForm({ issuer, onClose }: FormProps) {
  const [fields, setFields] = useState(() => formOf(issuer));
  const save = useCall({
    call: (api) =>
      issuer ? api.trustedIssuers.update(issuer.id, changesOf(fields)) : api.trustedIssuers.create(inputOf(fields)),
    done: issuer ? "Saved" : "Issuer is trusted",
    onSuccess: onClose,
  });
  const { field } = bindForm(fields, setFields, save.errors);
  return (
    <CallDialog
      title={issuer ? `Edit ${issuer.subject}` : "Trust issuer"}
      isWide
      of={save}
      submit={issuer ? "Save" : "Trust issuer"}
      onClose={onClose}
      blocksClosing
    >
      {issuer ? (
        <p className="muted">Tokens that were issued before stop working immediately.</p>
      ) : (
        <TextField
          label="Issuer"
          isMono
          hint="The URL of the provider, exactly as in its tokens."
          {...field("issuer")}
        />
      )}
      <TextField
        label="Subject"
        isMono
        placeholder="repo:acme/shop:pull_request"
        hint="A pattern of the token's sub. * is any text."
        {...field("subject")}
      />
      <SelectField
        label="Role"
        options={
          roles.some(({ value }) => value === fields.role)
            ? roles
            : [...roles, { value: fields.role, label: fields.role }]
        }
        {...field("role")}
      />
      <SelectField label="Deployments" options={reaches} {...field("environments")} />
      <TextField label="Project" isOptional isMono placeholder="shop" {...field("project")} />
      <TextField
        label="Branch claim"
        isOptional
        isMono
        placeholder="head_ref"
        hint="The claim that names the branch, which is then the only one."
        {...field("branchClaim")}
      />
      <Rows
        legend="Further claims"
        one="claim"
        hint="Several patterns of one claim are alternatives."
        rows={fields.claims}
        empty={{ name: "", pattern: "" }}
        onChange={(claims) => setFields({ ...fields, claims })}
      >
        {(claim, set) => {
          const { field: cell } = bindForm(claim, set, {}, { isTrimmed: true });
          return (
            <>
              <TextField label="Claim" isMono placeholder="repository_owner_id" {...cell("name")} />
              <TextField label="Pattern" isMono placeholder="123456" {...cell("pattern")} />
            </>
          );
        }}
      </Rows>
      <TextField
        label="Audience"
        isOptional
        isMono
        hint="By default this server's address and the account."
        {...field("audience")}
      />
    </CallDialog>
  );
}

const formOf = (issuer: TrustedIssuer | undefined) => ({
  issuer: issuer?.issuer ?? "https://token.actions.githubusercontent.com",
  subject: issuer?.subject ?? "",
  role: issuer?.role ?? ("editor" as const),
  /** Separated by spaces. */
  environments: issuer?.environments.toSorted().join(" ") ?? "PREVIEW",
  project: issuer?.project ?? "",
  branchClaim: issuer?.branchClaim ?? "",
  claims: Object.entries(issuer?.claims ?? {}).flatMap(([name, patterns]) =>
    [patterns].flat().map((pattern) => ({ name, pattern })),
  ),
  audience: issuer?.audience ?? "",
});

type Fields = ReturnType<typeof formOf>;

const inputOf = ({ issuer, subject, role, environments, project, branchClaim, claims, audience }: Fields) => ({
  issuer: issuer.trim(),
  subject: subject.trim(),
  role,
  environments: environments.split(" ") as TrustedIssuer["environments"],
  project: project.trim() || undefined,
  branchClaim: branchClaim.trim() || undefined,
  claims: claimsOf(claims),
  audience: audience.trim() || undefined,
});

/** Empty fields are cleared. */
function changesOf(fields: Fields): TrustedIssuerUpdate {
  const { issuer: _, project = null, branchClaim = null, claims = null, audience = null, ...rest } = inputOf(fields);
  return { ...rest, project, branchClaim, claims, audience };
}

function claimsOf(rows: Fields["claims"]): TrustedIssuerCreate["claims"] {
  const given = Map.groupBy(
    rows.filter(({ name }) => name !== ""),
    ({ name }) => name,
  );
  if (given.size === 0) return undefined;
  const patternsOf = (some: Fields["claims"]) =>
    some.length === 1 ? some[0]!.pattern : some.map(({ pattern }) => pattern);
  return Object.fromEntries([...given].map(([name, some]) => [name, patternsOf(some)]));
}
