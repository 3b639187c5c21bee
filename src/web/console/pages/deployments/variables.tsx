import { Ellipsis, KeyRound, Pencil, Plus, Trash2, Variable as VariableIcon } from "lucide-react";
import { useState } from "react";
import { etagOf, type Variable } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { Checkbox, TextArea, TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { EmptyState, Notice } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { EditDialog, useEdit } from "../../shell/edit-dialog.tsx";
import { AsCommand, ConfirmCall, CopyAs, useCall } from "../../shell/requests.tsx";

type Open = { set: Variable | undefined } | { remove: Variable };

/** The variables of the project. All branches share them; each variable lists its environments. */
export function ProjectVariables({ project }: { project: string }) {
  const { deniedEdit } = useSession();
  const [open, setOpen] = useState<Open>();
  const variables = useRead(["variables", project], (api, { signal }) => api.variables(project).list({ signal }).all());
  // Requested individually: an item of a list has no ETag.
  const edit = useCall({
    call: (api, name: string) => api.variables(project).get(name),
    onSuccess: (variable) => setOpen({ set: variable }),
    onError: (error) => toast(messageOf(error), "red"),
  });
  const close = () => setOpen(undefined);
  const columns: Column<Variable>[] = [
    { label: "Name", render: ({ name }) => <span className="mono strong">{name}</span> },
    {
      label: "Value",
      isText: true,
      render: ({ isSecret, value }) =>
        isSecret ? (
          <span className="row muted" title="Secret, never shown">
            <KeyRound size={14} aria-hidden />
            <span className="truncate">Secret, never shown</span>
          </span>
        ) : (
          <span className="mono" title={value}>
            {value}
          </span>
        ),
    },
    {
      label: "Environments",
      render: ({ environments }) => (
        <span className="row">
          {environments.map((name) => (
            <Badge key={name} tone={name === "production" ? "accent" : name === "preview" ? "amber" : "grey"}>
              {name}
            </Badge>
          ))}
        </span>
      ),
    },
    { label: "Changed", render: ({ updatedOn }) => <RelativeTime time={updatedOn} /> },
    actionsColumn((variable) => (
      <Menu
        trigger={<Button icon={Ellipsis} kind="quiet" isSmall isIcon aria-label={`Actions of ${variable.name}`} />}
        actions={[
          {
            label: variable.isSecret ? "Replace" : "Edit",
            icon: Pencil,
            denied: deniedEdit,
            onSelect: () => edit.mutate(variable.name),
          },
          {
            label: "Delete",
            icon: Trash2,
            isDanger: true,
            denied: deniedEdit,
            onSelect: () => setOpen({ remove: variable }),
          },
        ]}
      />
    )),
  ];
  return (
    <div className="stack">
      <div className="row row-between row-wrap">
        <p className="muted">
          Of the project {project}: <code>{`\${NAME}`}</code> in its documents, <code>context.environment.NAME</code> in
          code.
        </p>
        <span className="row">
          <AsCommand call={(api) => api.variables(project).list().page()} />
          <Button icon={Plus} kind="primary" denied={deniedEdit} onClick={() => setOpen({ set: undefined })}>
            Set variable
          </Button>
        </span>
      </div>
      <List
        caption={`Variables of ${project}`}
        of={variables}
        columns={columns}
        keyOf={({ name }) => name}
        skeletonRows={3}
        empty={
          <EmptyState icon={VariableIcon} title="No variables yet" guide="variables">
            Keep credentials for your upstreams, and values that differ between environments, here instead of in the
            project.
          </EmptyState>
        }
      />
      {open && "set" in open && (
        <SetVariable
          project={project}
          variable={open.set}
          names={variables.data?.map(({ name }) => name) ?? []}
          onClose={close}
        />
      )}
      {open && "remove" in open && (
        <ConfirmCall
          action={`Delete ${open.remove.name}`}
          call={(api) => api.variables(project).delete(open.remove.name)}
          onClose={close}
          done={`${open.remove.name} deleted`}
        >
          <p>
            {open.remove.isSecret
              ? "Routes that use it respond with 503 from now on, in every version. This cannot be undone."
              : "Versions that were built with it keep it. The next build fails if the project still uses it."}
          </p>
        </ConfirmCall>
      )}
    </div>
  );
}

interface Props {
  project: string;
  /** The variable to change; undefined creates one. */
  variable: Variable | undefined;
  /** The existing names: setting one of them replaces its value. */
  names: string[];
  onClose: () => void;
}

const formOf = (variable: Variable | undefined) => ({
  name: variable?.name ?? "",
  value: variable?.value ?? "",
  isSecret: variable?.isSecret ?? false,
  environments: variable?.environments.join(", ") ?? "",
});

function bodyOf({ value, isSecret, environments }: ReturnType<typeof formOf>) {
  const named = environments.split(",").flatMap((each) => each.trim() || []);
  return { value, isSecret, environments: named.length > 0 ? named : undefined };
}

/** Creates a variable or replaces its value. A concurrent change is a conflict. */
function SetVariable({ project, variable, names, onClose }: Props) {
  const { form, field, checkbox, dialog } = useEdit({
    of: variable,
    formOf,
    load: (api) => api.variables(project).get(variable!.name),
    call: (api, base, form) =>
      api.variables(project).set(form.name, bodyOf(form), base ? { ifMatch: etagOf(base) } : {}),
    done: (saved) => `${saved.name} set`,
    onClose,
  });
  const { name, value, isSecret, environments } = form;
  return (
    <EditDialog
      {...dialog}
      title={variable ? `Change ${variable.name}` : "Set a variable"}
      submit={variable ? "Save" : "Set variable"}
      disabled={name === ""}
      fields={(theirs) => [
        // Secret values are never shown, not even in a conflict.
        {
          label: "Value",
          theirs: theirs.isSecret ? "A secret" : theirs.value,
          mine: isSecret ? "Your secret" : value,
        },
        { label: "Environments", theirs: theirs.environments.join(", "), mine: environments },
      ]}
      footStart={
        // A secret is omitted from the clipboard and the shell's history.
        <CopyAs call={(api) => api.variables(project).set(name, bodyOf(isSecret ? { ...form, value: "…" } : form))} />
      }
    >
      <TextField
        label="Name"
        isMono
        placeholder="UPSTREAM_TOKEN"
        disabled={variable !== undefined}
        {...field("name", "variableName")}
      />
      {!variable && names.includes(name) && (
        <Notice kind="warning">{name} exists already. Setting it replaces its value.</Notice>
      )}
      <Checkbox
        label="Secret"
        hint="Encrypted at rest, never shown again, redacted from logs."
        {...checkbox("isSecret")}
      />
      {isSecret ? (
        <TextField label="Value" type="password" isMono hint="At least 8 characters." {...field("value")} />
      ) : (
        <TextArea label="Value" rows={2} isMono {...field("value")} />
      )}
      <TextField
        label="Environments"
        isOptional
        placeholder={isSecret ? "production" : "production, preview"}
        hint="production, preview, or branches, separated by commas."
        {...field("environments")}
      />
      <Notice>
        {isSecret
          ? "Takes effect with the next request, in every version."
          : "Takes effect with the next build. Existing versions keep their value."}
      </Notice>
    </EditDialog>
  );
}
