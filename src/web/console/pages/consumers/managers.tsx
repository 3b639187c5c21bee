import { Mail, Trash2, UserRound } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { bindForm, TextField } from "../../../components/field.tsx";
import { EmptyState } from "../../../components/notice.tsx";
import { actionsColumn, type Column, List } from "../../../components/table.tsx";
import { DayTime, RelativeTime } from "../../../components/time.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { CallDialog, ConfirmCall, useCall } from "../../shell/requests.tsx";

interface Person {
  id: string;
  email?: string | undefined;
  sub?: string | undefined;
  createdOn: string;
  expiresOn?: string | undefined;
}

/** The managers of a consumer's keys, and pending invites. */
export function ConsumerManagers({ bucket, name }: { bucket: string; name: string }) {
  const { deniedEdit } = useSession();
  const [open, setOpen] = useState<"invite" | "add" | Person>();
  const people = useRead(["managers", bucket, name], async (api, { signal }): Promise<Person[]> => {
    const [managers, invites] = await Promise.all([
      api.managers(bucket, name).list({ signal }).all(),
      api.managerInvites(bucket, name).list({ signal }).all(),
    ]);
    return [...managers, ...invites];
  });
  const close = () => setOpen(undefined);
  const columns: Column<Person>[] = [
    { label: "Person", render: ({ email, sub }) => <span className="strong">{email ?? sub}</span> },
    { label: "Subject", render: ({ sub }) => sub && <span className="mono">{sub}</span> },
    {
      label: "State",
      isLead: true,
      render: ({ sub }) => (sub ? <Badge tone="green">Manager</Badge> : <Badge tone="amber">Invited</Badge>),
    },
    { label: "Since", render: ({ createdOn }) => <DayTime time={createdOn} /> },
    { label: "Invite ends", render: ({ expiresOn }) => expiresOn && <RelativeTime time={expiresOn} /> },
    actionsColumn((person) => (
      <Button
        icon={Trash2}
        kind="quiet"
        isSmall
        isIcon
        denied={deniedEdit}
        aria-label={`Remove ${person.email ?? person.sub}`}
        onClick={() => setOpen(person)}
      />
    )),
  ];
  return (
    <>
      <div className="section-head">
        <p className="muted">Managers can manage the keys of {name} in your own portal.</p>
        <div className="row">
          <Button icon={UserRound} denied={deniedEdit} onClick={() => setOpen("add")}>
            Add manager
          </Button>
          <Button icon={Mail} kind="primary" denied={deniedEdit} onClick={() => setOpen("invite")}>
            Invite
          </Button>
        </div>
      </div>
      <List
        caption={`Managers of ${name}`}
        of={people}
        columns={columns}
        skeletonRows={3}
        empty={
          <EmptyState icon={UserRound} title="No managers" guide="portal#people-of-a-customer">
            Invite a person by email, or add one by their subject at your identity provider.
          </EmptyState>
        }
      />
      {(open === "invite" || open === "add") && (
        <AddPerson bucket={bucket} name={name} isInvite={open === "invite"} onClose={close} />
      )}
      {typeof open === "object" && (
        <ConfirmCall
          title={open.sub ? `Remove ${open.email ?? open.sub}?` : `Withdraw the invite for ${open.email}?`}
          action={open.sub ? "Remove manager" : "Withdraw invite"}
          call={(api) =>
            open.sub ? api.managers(bucket, name).delete(open.id) : api.managerInvites(bucket, name).delete(open.id)
          }
          onClose={close}
          done={open.sub ? "Manager removed" : "Invite withdrawn"}
        >
          <p>They can no longer manage the keys of {name}. The keys themselves stay. You can add them again.</p>
        </ConfirmCall>
      )}
    </>
  );
}

interface AddPersonProps {
  bucket: string;
  name: string;
  isInvite: boolean;
  onClose: () => void;
}

function AddPerson({ bucket, name, isInvite, onClose }: AddPersonProps) {
  const [form, setForm] = useState({ email: "", sub: "" });
  const { email, sub } = form;
  const add = useCall({
    call: async (api): Promise<unknown> =>
      isInvite
        ? api.managerInvites(bucket, name).create({ email })
        : api.managers(bucket, name).add({ sub, email: email || undefined }),
    done: isInvite ? `${email} invited` : "Manager added",
    onSuccess: onClose,
  });
  const { field } = bindForm(form, setForm, add.errors);
  const verb = isInvite ? "Invite" : "Add manager";
  return (
    <CallDialog title={isInvite ? "Invite a manager" : "Add a manager"} of={add} submit={verb} onClose={onClose}>
      {!isInvite && (
        <TextField
          label="Subject"
          isMono
          hint="The person's subject at your identity provider, such as auth0|ann."
          {...field("sub")}
        />
      )}
      <TextField label="Email" type="email" isOptional={!isInvite} {...field("email")} />
    </CallDialog>
  );
}
