import { useState } from "react";
import type { InvitedMember, Member, MemberInvite } from "../../../../client/index.ts";
import { Code } from "../../../components/copy.tsx";
import { Dialog, FormDialog } from "../../../components/dialog.tsx";
import { bindForm, SelectField, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { command } from "../../../lib/shell.ts";
import { CallDialog, CopyAs, useCall } from "../../shell/requests.tsx";

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
  const member = { email: email.trim(), role, name: name || undefined, projects };
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
      <MemberFields fields={fields} onChange={setFields} errors={invite.errors} />
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
      <MemberFields fields={fields} onChange={setFields} errors={save.errors} />
    </CallDialog>
  );
}

interface MemberFieldsProps {
  fields: Fields;
  onChange: (fields: Fields) => void;
  errors: Record<string, string>;
}

function MemberFields({ fields, onChange, errors }: MemberFieldsProps) {
  const { field } = bindForm(fields, onChange, errors);
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

/** The link of an invitation, once, if the server sends no mail. */
export function Invited({ member, onClose }: { member: InvitedMember; onClose: () => void }) {
  const { email, invitationUrl } = member;
  return (
    <Dialog
      title={`${email} is invited`}
      isWide
      isStubborn={invitationUrl !== undefined}
      onClose={onClose}
      closeLabel={invitationUrl === undefined ? "Done" : "I have copied it"}
    >
      {invitationUrl === undefined ? (
        <p>The invitation is sent by mail. It is valid for 7 days.</p>
      ) : (
        <>
          <Notice kind="warning">
            This server sends no mail. Copy the link and pass it on: it is not shown again, works once, and for 7 days.
          </Notice>
          <Code text={invitationUrl} isSecret />
        </>
      )}
    </Dialog>
  );
}
