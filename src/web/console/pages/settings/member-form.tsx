import { useState } from "react";
import type { Member, MemberInvite } from "../../../../client/index.ts";
import { FormDialog } from "../../../components/dialog.tsx";
import { bindForm, SelectField, TextField } from "../../../components/field.tsx";
import { fieldErrors } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { CallDialog, CopyAs, useCall } from "../../shell/requests.tsx";
import { Invited } from "./invited.tsx";

type Role = MemberInvite["role"];

const roles: { value: Role; label: string }[] = [
  { value: "reader", label: "reader: reads, with keys masked" },
  { value: "billing", label: "billing: reads, and changes plans and subscriptions" },
  { value: "editor", label: "editor: everything but tokens and people" },
  { value: "admin", label: "admin: everything" },
];

interface Fields {
  email: string;
  name: string;
  role: Role;
  /** Names of projects, separated by commas. */
  projects: string;
}

const projectsOf = ({ role, projects }: Fields) => {
  const names = projects.split(",").flatMap((name) => name.trim() || []);
  const isLimitable = role === "editor" || role === "reader";
  return isLimitable && names.length > 0 ? names.map((project) => ({ project, role })) : undefined;
};

export function InviteMember({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState<Fields>({ email: "", name: "", role: "reader", projects: "" });
  const { email, name, role } = fields;
  const projects = projectsOf(fields);
  const member = { email: email.trim(), role, ...(name ? { name } : {}), ...(projects ? { projects } : {}) };
  const invite = useCall({ call: (api) => api.members.invite(member) });
  if (invite.data) return <Invited member={invite.data} onClose={onClose} />;
  const { field } = bindForm(fields, setFields, invite.errors);
  return (
    <FormDialog
      title="Invite person"
      mutation={invite}
      submit="Invite person"
      onClose={onClose}
      blocksClosing
      footStart={
        <CopyAs
          call={invite.call}
          command={
            projects &&
            command(
              ...["members", "invite", member.email, "--role", role],
              ...(name ? ["--name", name] : []),
              ...projects.flatMap((each) => ["--project", `${each.project}=${each.role}`]),
            )
          }
        />
      }
    >
      <TextField label="Email" type="email" placeholder="ada@acme.example" {...field("email")} />
      <MemberFields fields={fields} onChange={setFields} error={invite.error} />
    </FormDialog>
  );
}

export function EditMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const [fields, setFields] = useState<Fields>({
    email: member.email,
    name: member.name ?? "",
    role: member.role,
    projects: member.projects?.map(({ project }) => project).join(", ") ?? "",
  });
  // A project keeps its role, unless that would be more than the role.
  const roleIn = (project: string) => member.projects?.find((each) => each.project === project)?.role;
  const projects = projectsOf(fields)?.map(({ project, role }) => ({
    project,
    role: role === "reader" ? role : (roleIn(project) ?? role),
  }));
  const changes = { name: fields.name || null, role: fields.role, projects: projects ?? null };
  const save = useCall({ call: (api) => api.members.update(member.id, changes), done: "Saved", onSuccess: onClose });
  return (
    <CallDialog title={`Edit ${member.email}`} of={save} submit="Save" onClose={onClose}>
      <MemberFields fields={fields} onChange={setFields} error={save.error} />
    </CallDialog>
  );
}

interface MemberFieldsProps {
  fields: Fields;
  onChange: (fields: Fields) => void;
  error: unknown;
}

function MemberFields({ fields, onChange, error }: MemberFieldsProps) {
  const { field } = bindForm(fields, onChange, fieldErrors(error));
  return (
    <>
      <TextField label="Name" isOptional {...field("name")} />
      <SelectField label="Role" options={roles} {...field("role")} />
      {(fields.role === "editor" || fields.role === "reader") && (
        <TextField
          label="Only these projects"
          isOptional
          isMono
          placeholder="orders, payments"
          hint="Limits the role to deployments, variables, requests, logs and analytics of projects."
          {...field("projects")}
        />
      )}
    </>
  );
}
