import { useState } from "react";
import type { HourlyExportCreate } from "../../../../../client/index.ts";
import { FormDialog } from "../../../../components/dialog.tsx";
import { bindForm, Checkbox, Choices, FieldError, optionsOf, TextField } from "../../../../components/field.tsx";
import { errorAt } from "../../../../lib/errors.ts";
import { fromLocalInput } from "../../../../lib/format.ts";
import { command } from "../../../../lib/shell.ts";
import { CopyAs, useCall } from "../../../shell/requests.tsx";
import { CredentialFields, emptyCredential, shownCredential } from "./credential-fields.tsx";
import { kindLabels } from "./state.tsx";

type Kind = HourlyExportCreate["kinds"][number];

const emptyForm = {
  name: "",
  place: "s3" as "s3" | "folder",
  url: "",
  endpoint: "",
  region: "",
  credential: emptyCredential,
  path: "",
  format: "parquet" as HourlyExportCreate["format"],
  kinds: ["events"] as Kind[],
  /** As in an input of date and time. */
  from: "",
};
type Form = typeof emptyForm;

const kinds = Object.entries(kindLabels) as [Kind, string][];

export function NewExport({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(emptyForm);
  const create = useCall({
    call: (api) => api.exports.create(inputOf(form, form.credential)),
    done: ({ name }) => `${name} is created. Its first hour is written two minutes after it has ended.`,
    onSuccess: onClose,
  });
  const errors = create.errors;
  const { field } = bindForm(form, setForm, errors, { isTrimmed: true });
  const mono = (...args: Parameters<typeof field>) => ({ isMono: true, ...field(...args) });
  return (
    <FormDialog
      title="Create export"
      isWide
      mutation={create}
      submit="Create export"
      onClose={onClose}
      blocksClosing
      footStart={
        <CopyAs
          call={(api) => api.exports.create(inputOf(form, shownCredential(form.credential)))}
          command={commandOf(form)}
        />
      }
    >
      <TextField
        label="Name"
        placeholder="warehouse"
        hint="Part of the names of its objects. It cannot be changed."
        {...mono("name")}
      />
      <Choices
        legend="Write to"
        name="place"
        value={form.place}
        options={optionsOf({ s3: "S3-compatible storage", folder: "A folder of the server" })}
        onChange={(place) => setForm({ ...form, place: place as Form["place"] })}
      />
      {form.place === "s3" ? (
        <>
          <TextField label="Bucket and prefix" placeholder="s3://acme-warehouse/tollgate" {...mono("url", "/to/url")} />
          <div className="form-grid">
            <TextField
              label="Endpoint"
              isOptional
              placeholder="https://minio.acme.example"
              hint="Empty for Amazon S3."
              {...mono("endpoint", "/to/endpoint")}
            />
            <TextField label="Region" isOptional placeholder="us-east-1" {...mono("region", "/to/region")} />
          </div>
          <CredentialFields
            value={form.credential}
            errors={errors}
            at="/to/credential"
            onChange={(credential) => setForm({ ...form, credential })}
          />
        </>
      ) : (
        <TextField
          label="Folder"
          placeholder="/var/lib/tollgate-exports/acme"
          hint="An absolute path below TOLLGATE_EXPORT_DIR, which the operator of the server sets, and the account's name."
          {...mono("path", "/to/url")}
        />
      )}
      <fieldset className="plain-fieldset stack stack-tight">
        <legend className="field-label">Tables</legend>
        <FieldError error={errorAt(errors, "/kinds")} />
        {kinds.map(([kind, label]) => (
          <Checkbox
            key={kind}
            label={label}
            checked={form.kinds.includes(kind)}
            onChange={({ target }) =>
              setForm({
                ...form,
                kinds: kinds
                  .map(([each]) => each)
                  .filter((each) => (each === kind ? target.checked : form.kinds.includes(each))),
              })
            }
          />
        ))}
      </fieldset>
      <Choices
        legend="Format"
        name="format"
        value={form.format}
        options={optionsOf({ parquet: "Parquet", ndjson: "NDJSON" })}
        onChange={(format) => setForm({ ...form, format: format as Form["format"] })}
      />
      <TextField
        label="From"
        isOptional
        type="datetime-local"
        hint="The first hour. Empty for the current one; earlier hours can be written later."
        {...field("from")}
      />
    </FormDialog>
  );
}

function inputOf(form: Form, credential: Form["credential"]): HourlyExportCreate {
  const { name, place, url, endpoint, region, path, kinds, format, from } = form;
  const to =
    place === "folder"
      ? { url: `file:${path}` }
      : { url, endpoint: endpoint || undefined, region: region || undefined, credential };
  return { name, to, kinds, format, from: fromLocalInput(from) };
}

function commandOf(form: Form): string {
  const { to, kinds, format, from } = inputOf(form, form.credential);
  return command(
    ...["exports", "create", form.name || "warehouse", to.url || "s3://acme-warehouse/tollgate"],
    ...kinds.flatMap((kind) => ["--kind", kind]),
    ...["--format", format],
    ...(to.endpoint ? ["--endpoint", to.endpoint] : []),
    ...(to.region ? ["--region", to.region] : []),
    ...(from ? ["--from", from] : []),
  );
}
