import { MailPlus, Pencil, Trash2, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import type { InvitedMember, Mail, Member } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState, Notice } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List, Table } from "../../../components/table.tsx";
import { ExactTime, RelativeTime } from "../../../components/time.tsx";
import { capitalized } from "../../../lib/format.ts";
import { useRead, useSession } from "../../queries/session.tsx";
import { ListHead } from "../../shell/page.tsx";
import { AsCommand, ConfirmCall } from "../../shell/requests.tsx";
import { Action } from "./action.tsx";
import { EditMember, Invited, InviteMember } from "./member-form.tsx";

const tones: Record<Mail["state"], Tone> = { queued: "amber", sent: "green", failed: "red", expired: "grey" };

/** The newest mail of the account. Nothing is shown if there is none. */
function Mails() {
  const mails = useRead(
    ["mails"],
    async (api, { signal }) => (await api.members.mails({ limit: 20, signal }).page()).data,
    {
      refetchInterval: ({ state }) => (state.data?.some((mail) => mail.state === "queued") ? 2000 : false),
    },
  );
  if (!mails.data || mails.data.length === 0) return null;
  const columns: Column<Mail>[] = [
    { label: "To", render: ({ to }) => <span className="truncate">{to}</span> },
    { label: "Mail", render: ({ kind }) => (kind === "sign-in" ? "Sign-in" : "Invitation") },
    {
      label: "State",
      isLead: true,
      render: ({ state }) => <Badge tone={tones[state]}>{capitalized(state)}</Badge>,
    },
    { label: "Error", isText: true, isMinor: true, render: ({ error }) => error },
    { label: "Created", render: ({ createdOn }) => <ExactTime time={createdOn} /> },
  ];
  return (
    <section className="stack section">
      <h2>Mail</h2>
      <Table caption="Mail" columns={columns} rows={mails.data} />
    </section>
  );
}

type Open = { what: "invite" } | { what: "edit" | "remove" | "reinvite"; member: Member };

/** The members of the account, and mail to them. */
export function PeopleSettings() {
  const { identity } = useSession();
  const [open, setOpen] = useState<Open>();
  const members = useRead(["members"], (api, { signal }) => api.members.list({ signal }).all());
  const close = () => setOpen(undefined);
  const columns: Column<Member>[] = [
    {
      label: "Person",
      render: ({ id, name, email }) => (
        <span className="row">
          <span className="strong truncate">{name ?? email}</span>
          {name !== undefined && <span className="muted truncate">{email}</span>}
          {id === identity.sub && <Badge>You</Badge>}
        </span>
      ),
    },
    {
      label: "Role",
      render: ({ role, projects }) => (
        <span className="row">
          <Badge tone={role === "admin" ? "accent" : "grey"}>{role}</Badge>
          {projects && <span className="muted truncate">{projects.map(({ project }) => project).join(", ")}</span>}
        </span>
      ),
    },
    { label: "State", isLead: true, render: (member) => <State member={member} /> },
    { label: "Signed in", render: ({ signedInOn }) => <RelativeTime time={signedInOn} /> },
    actionsColumn((member) => (
      <>
        {member.state === "invited" && (
          <Action
            icon={MailPlus}
            label={`Repeat the invitation of ${member.email}`}
            onClick={() => setOpen({ what: "reinvite", member })}
          />
        )}
        <Action icon={Pencil} label={`Edit ${member.email}`} onClick={() => setOpen({ what: "edit", member })} />
        <Action icon={Trash2} label={`Remove ${member.email}`} onClick={() => setOpen({ what: "remove", member })} />
      </>
    )),
  ];
  const inviteButton = (
    <Button icon={UserPlus} kind="primary" onClick={() => setOpen({ what: "invite" })}>
      Invite person
    </Button>
  );
  return (
    <>
      <ListHead about="People who may sign in to this account, and their roles.">
        <AsCommand call={(api) => api.members.list().page()} />
        {members.data?.length !== 0 && inviteButton}
      </ListHead>
      <List
        caption="Members"
        of={members}
        columns={columns}
        skeletonRows={3}
        empty={
          <EmptyState icon={Users} title="No people yet" guide="people" action={inviteButton}>
            People sign in with a role of their own, and the audit log names them. Tokens are for programs.
          </EmptyState>
        }
      />
      <Mails />
      {open?.what === "invite" && <InviteMember onClose={close} />}
      {open?.what === "edit" && <EditMember member={open.member} onClose={close} />}
      {open?.what === "reinvite" && <Reinvite member={open.member} onClose={close} />}
      {open?.what === "remove" && <RemoveMember member={open.member} onClose={close} />}
    </>
  );
}

function State({ member: { state, invitationExpiresOn } }: { member: Member }) {
  if (state === "active") return <Badge tone="green">Active</Badge>;
  const isExpired = invitationExpiresOn !== undefined && Date.parse(invitationExpiresOn) <= Date.now();
  return isExpired ? <Badge tone="red">Invitation expired</Badge> : <Badge tone="amber">Invited</Badge>;
}

function Reinvite({ member, onClose }: { member: Member; onClose: () => void }) {
  const [invited, setInvited] = useState<InvitedMember>();
  if (invited) return <Invited member={invited} onClose={onClose} />;
  return (
    <ConfirmCall
      title={`Invite ${member.email} again?`}
      action="Invite again"
      isSafe
      call={async (api) => setInvited(await api.members.inviteAgain(member.id))}
      onClose={onClose}
    >
      <p>The invitation is valid for 7 days from now. Links from before stop working.</p>
    </ConfirmCall>
  );
}

function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const { identity } = useSession();
  const tokens = useRead(["tokens", "created-by", member.id], async (api, { signal }) =>
    (await api.tokens.list({ signal }).all()).filter(({ createdBy }) => createdBy === member.id),
  );
  return (
    <ConfirmCall
      title={`Remove ${member.email}?`}
      action="Remove member"
      call={(api) => api.members.remove(member.id)}
      onClose={onClose}
      done="Member removed"
    >
      <p>
        {member.state === "active"
          ? "All their sessions end immediately. To come back, they have to be invited again."
          : "The invitation stops working."}
      </p>
      {tokens.data && tokens.data.length > 0 && (
        <Notice kind="warning">
          They created {tokens.data.length === 1 ? "a token" : `${tokens.data.length} tokens`}:{" "}
          {tokens.data.map(({ id, name }) => name ?? id).join(", ")}. Tokens still work until they are deleted.
        </Notice>
      )}
      {member.id === identity.sub && <Notice kind="warning">This is you: you will be signed out.</Notice>}
    </ConfirmCall>
  );
}
