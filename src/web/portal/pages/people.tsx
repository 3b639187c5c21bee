import { MoreHorizontal, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import type { PortalInvite, PortalPerson, PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { actionsColumn, List } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { useRead } from "../queries/api.ts";
import { PageHead } from "../shell/page-head.tsx";
import { LeaveAccount } from "./leave-account.tsx";
import { type PeopleAction, PeopleDialog } from "./people-dialogs.tsx";
import { describeScopes } from "./scopes.ts";

type Row = { kind: "person"; person: PortalPerson } | { kind: "invite"; invite: PortalInvite };

/** The customer's own people. */
export default function People({ session }: { session: PortalSession }) {
  const [action, setAction] = useState<PeopleAction>();
  const people = useRead("listPortalPeople");
  const rows = people.data && [
    ...people.data.data.map((person): Row => ({ kind: "person", person })),
    ...people.data.invites.map((invite): Row => ({ kind: "invite", invite })),
  ];
  const invite = (
    <Button icon={UserPlus} kind="primary" onClick={() => setAction({ kind: "invite" })}>
      Invite a person
    </Button>
  );
  return (
    <>
      <PageHead title="People" action={rows && rows.length > 0 && invite}>
        Colleagues who may sign in here, and what each of them may do.
      </PageHead>
      <List
        caption="People"
        of={{ data: rows, error: people.error }}
        empty={
          <EmptyState icon={Users} title="No people yet" action={invite}>
            Invite colleagues by email, so that they can sign in themselves.
          </EmptyState>
        }
        keyOf={(row: Row) => (row.kind === "person" ? row.person.id : row.invite.id)}
        columns={[
          { label: "Person", render: (row) => <Name row={row} /> },
          {
            label: "Access",
            render: (row) => describeScopes(row.kind === "person" ? row.person.scopes : row.invite.scopes),
          },
          { label: "State", isLead: true, render: (row) => <State row={row} /> },
          actionsColumn((row: Row) => <Actions row={row} onAction={setAction} />),
        ]}
      />
      {/* Otherwise it is on the page of the plan, which ends with the account. */}
      {!session.pages.includes("plans") && <LeaveAccount session={session} />}
      {action && <PeopleDialog action={action} onClose={() => setAction(undefined)} />}
    </>
  );
}

const nameOf = (row: Row): string => (row.kind === "person" ? row.person.name : row.invite.email);

function Name({ row }: { row: Row }) {
  return (
    <span className="wrap-anywhere">
      {nameOf(row)}
      {row.kind === "person" && row.person.isSelf && <span className="muted"> (you)</span>}
    </span>
  );
}

function State({ row }: { row: Row }) {
  if (row.kind === "person") return <Badge tone="green">Active</Badge>;
  return (
    <span className="row">
      <Badge tone="amber">Invited</Badge>
      <span className="muted small">
        expires <RelativeTime time={row.invite.expiresOn} />
      </span>
    </span>
  );
}

function Actions({ row, onAction }: { row: Row; onAction: (action: PeopleAction) => void }) {
  const actions =
    row.kind === "person"
      ? [
          { label: "Change access…", onSelect: () => onAction({ kind: "change", person: row.person }) },
          {
            label: row.person.isSelf ? "Leave…" : "Remove…",
            isDanger: true,
            onSelect: () => onAction({ kind: "remove", person: row.person }),
          },
        ]
      : [
          {
            label: "Withdraw…",
            isDanger: true,
            onSelect: () => onAction({ kind: "withdraw", invite: row.invite }),
          },
        ];
  return (
    <Menu
      trigger={<Button icon={MoreHorizontal} kind="quiet" isIcon aria-label={`Actions for ${nameOf(row)}`} />}
      actions={actions}
    />
  );
}
