import { useState } from "react";
import { etagOf, type Variable } from "../../../../client/index.ts";
import { Checkbox, TextArea, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { useSession } from "../../queries/session.tsx";
import { EditDialog } from "../../shell/edit-dialog.tsx";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface Props {
  project: string;
  /** The variable to change; undefined creates one. */
  variable: Variable | undefined;
  /** The existing names: setting one of them replaces its value. */
  names: string[];
  onClose: () => void;
}

/** Creates a variable or replaces its value. A concurrent change is a conflict. */
export function SetVariable({ project, variable, names, onClose }: Props) {
  const { api } = useSession();
  const [before, setBefore] = useState(variable);
  const [name, setName] = useState(variable?.name ?? "");
  const [value, setValue] = useState(variable?.value ?? "");
  const [isSecret, setSecret] = useState(variable?.isSecret ?? false);
  const [environments, setEnvironments] = useState(variable?.environments.join(", ") ?? "");
  const named = environments.split(",").flatMap((each) => each.trim() || []);
  const body = { value, isSecret, ...(named.length > 0 ? { environments: named } : {}) };
  const set = useCall({
    call: (api, base: Variable | undefined) =>
      api.variables(project).set(name, body, base ? { ifMatch: etagOf(base) } : {}),
    onSuccess: () => {
      toast(`${name} set`);
      onClose();
    },
  });
  const take = (theirs: Variable) => {
    setValue(theirs.value ?? "");
    setSecret(theirs.isSecret);
    setEnvironments(theirs.environments.join(", "));
  };
  const errors = fieldErrors(set.error);
  const shared = { isMono: true, value, error: errorAt(errors, "/value") };
  return (
    <EditDialog
      title={variable ? `Change ${variable.name}` : "Set a variable"}
      save={set}
      before={before}
      onBefore={setBefore}
      submit={variable ? "Save" : "Set variable"}
      disabled={name === ""}
      load={() => api.variables(project).get(name)}
      fields={(theirs) => [
        // Secret values are never shown, not even in a conflict.
        {
          label: "Value",
          theirs: theirs.isSecret ? "A secret" : theirs.value,
          mine: isSecret ? "Your secret" : value,
        },
        { label: "Environments", theirs: theirs.environments.join(", "), mine: environments },
      ]}
      onTheirs={take}
      onClose={onClose}
      footStart={
        // A secret is omitted from the clipboard and the shell's history.
        <CopyAs call={(api) => api.variables(project).set(name, isSecret ? { ...body, value: "…" } : body)} />
      }
    >
      <TextField
        label="Name"
        isMono
        placeholder="UPSTREAM_TOKEN"
        disabled={variable !== undefined}
        {...bindInput(name, setName, errorAt(errors, "variableName"))}
      />
      {!variable && names.includes(name) && (
        <Notice kind="warning">{name} exists already. Setting it replaces its value.</Notice>
      )}
      <Checkbox
        label="Secret"
        hint="Encrypted at rest, never shown again, redacted from logs."
        checked={isSecret}
        onChange={(event) => setSecret(event.target.checked)}
      />
      {isSecret ? (
        <TextField
          label="Value"
          type="password"
          hint="At least 8 characters."
          {...shared}
          onChange={(event) => setValue(event.target.value)}
        />
      ) : (
        <TextArea label="Value" rows={2} {...shared} onChange={(event) => setValue(event.target.value)} />
      )}
      <TextField
        label="Environments"
        isOptional
        placeholder={isSecret ? "production" : "production, preview"}
        hint="production, preview, or branches, separated by commas."
        {...bindInput(environments, setEnvironments, errorAt(errors, "/environments"))}
      />
      <Notice>
        {isSecret
          ? "Takes effect with the next request, in every version."
          : "Takes effect with the next build. Existing versions keep their value."}
      </Notice>
    </EditDialog>
  );
}
