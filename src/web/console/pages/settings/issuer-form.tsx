import { useState } from "react";
import type { TrustedIssuer, TrustedIssuerCreate, TrustedIssuerUpdate } from "../../../../client/index.ts";
import { bindForm, SelectField, TextField } from "../../../components/field.tsx";
import { Rows } from "../../../components/rows.tsx";
import { fieldErrors } from "../../../lib/errors.ts";
import { CallDialog, useCall } from "../../shell/requests.tsx";

const roles = [
  { value: "editor", label: "editor: deploys, and changes" },
  { value: "reader", label: "reader: reads" },
];

const reaches = [
  { value: "PREVIEW", label: "Previews only" },
  { value: "PRODUCTION", label: "Production only" },
  { value: "PREVIEW PRODUCTION", label: "Production and previews" },
];

interface FormProps {
  onClose: () => void;
}

export function NewIssuer({ onClose }: FormProps) {
  const [fields, setFields] = useState<Fields>(emptyFields);
  const body: TrustedIssuerCreate = bodyOf(fields);
  const create = useCall({
    call: (api) => api.trustedIssuers.create(body),
    done: "Issuer is trusted",
    onSuccess: onClose,
  });
  const { field } = bindForm(fields, setFields, create.errors);
  return (
    <CallDialog title="Trust issuer" isWide of={create} submit="Trust issuer" onClose={onClose} blocksClosing>
      <TextField label="Issuer" isMono hint="The URL of the provider, exactly as in its tokens." {...field("issuer")} />
      <IssuerFields fields={fields} onChange={setFields} error={create.error} />
    </CallDialog>
  );
}

export function EditIssuer({ issuer, onClose }: FormProps & { issuer: TrustedIssuer }) {
  const [fields, setFields] = useState<Fields>(() => fieldsOf(issuer));
  const changes = patchOf(fields);
  const save = useCall({
    call: (api) => api.trustedIssuers.update(issuer.id, changes),
    done: "Saved",
    onSuccess: onClose,
  });
  return (
    <CallDialog title={`Edit ${issuer.subject}`} isWide of={save} submit="Save" onClose={onClose} blocksClosing>
      <p className="muted">Tokens that were issued before stop working immediately.</p>
      <IssuerFields fields={fields} onChange={setFields} error={save.error} />
    </CallDialog>
  );
}

interface IssuerFieldsProps {
  fields: Fields;
  onChange: (fields: Fields) => void;
  error: unknown;
}

function IssuerFields({ fields, onChange, error }: IssuerFieldsProps) {
  const { field } = bindForm(fields, onChange, fieldErrors(error));
  return (
    <>
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
        onChange={(claims) => onChange({ ...fields, claims })}
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
    </>
  );
}

type Environment = TrustedIssuer["environments"][number];

/** The fields of the form, as text. */
export interface Fields {
  issuer: string;
  subject: string;
  role: TrustedIssuerCreate["role"];
  /** Separated by spaces. */
  environments: string;
  project: string;
  branchClaim: string;
  claims: { name: string; pattern: string }[];
  audience: string;
}

export const emptyFields: Fields = {
  issuer: "https://token.actions.githubusercontent.com",
  subject: "",
  role: "editor",
  environments: "PREVIEW",
  project: "",
  branchClaim: "",
  claims: [],
  audience: "",
};

export function fieldsOf(issuer: TrustedIssuer): Fields {
  const { claims = {}, environments } = issuer;
  return {
    issuer: issuer.issuer,
    subject: issuer.subject,
    role: issuer.role,
    environments: environments.toSorted().join(" "),
    project: issuer.project ?? "",
    branchClaim: issuer.branchClaim ?? "",
    claims: Object.entries(claims).flatMap(([name, patterns]) =>
      [patterns].flat().map((pattern) => ({ name, pattern })),
    ),
    audience: issuer.audience,
  };
}

export function bodyOf(fields: Fields): TrustedIssuerCreate {
  const { issuer, subject, role, environments, project, branchClaim, audience } = fields;
  const claims = claimsOf(fields.claims);
  return {
    issuer: issuer.trim(),
    subject: subject.trim(),
    role,
    environments: environments.split(" ") as Environment[],
    ...(project.trim() && { project: project.trim() }),
    ...(branchClaim.trim() && { branchClaim: branchClaim.trim() }),
    ...(claims && { claims }),
    ...(audience.trim() && { audience: audience.trim() }),
  };
}

/** Empty fields are cleared. */
export function patchOf(fields: Fields): TrustedIssuerUpdate {
  const { issuer: _, ...changes } = bodyOf(fields);
  return { project: null, branchClaim: null, claims: null, audience: null, ...changes };
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
