import type { Session } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { actionsColumn, type Column, List } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { signedIn, useRead, useSession } from "../../queries/session.tsx";
import { ListHead } from "../../shell/page.tsx";
import { AsCommand, useCall } from "../../shell/requests.tsx";

const byNewest = (one: Session, other: Session) => (one.createdOn < other.createdOn ? 1 : -1);

const methods: Record<Session["method"], string> = {
  token: "Token",
  invitation: "Invitation",
  mail: "Mail",
  oidc: "Identity provider",
};

/** Browsers that are signed in: for admins all of the account, for others their own. */
export function SessionSettings() {
  const { identity, canAdminister } = useSession();
  const sessions = useRead(["sessions", canAdminister], async (api, { signal }) => {
    const own = await signedIn.sessions.list({ signal }).all();
    const all = canAdminister ? await api.sessions.listOfAccount({ signal }).all() : [];
    // The operator's own sessions belong to no account.
    return [...own, ...all.filter(({ id }) => own.every((each) => each.id !== id))].sort(byNewest);
  });
  const end = useCall({
    call: (api, { id, isOwn }: { id: string; isOwn: boolean }) =>
      isOwn ? signedIn.sessions.delete(id) : api.sessions.deleteOfAccount(id),
    done: "Session ended",
    onError: (error) => toast(messageOf(error), "red"),
  });
  const ended = sessions.data?.slice(0, 1).map(({ id }) => id) ?? [];
  const columns: Column<Session>[] = [
    {
      label: "Signed in as",
      render: ({ owner, isCurrent }) => (
        <span className="row">
          <span className="strong truncate">{owner.name ?? owner.id}</span>
          {isCurrent && <Badge tone="green">This browser</Badge>}
        </span>
      ),
    },
    { label: "With", render: ({ method }) => methods[method] },
    { label: "From", isMinor: true, render: ({ ip }) => ip && <span className="mono">{ip}</span> },
    { label: "Signed in", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
    { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
    { label: "Ends by", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
    actionsColumn(({ id, isCurrent, owner }) => (
      <Button
        isSmall
        isBusy={end.isPending && end.variables.id === id}
        onClick={() => end.mutate({ id, isOwn: owner.id === identity.sub })}
      >
        {isCurrent ? "Sign out" : "End"}
      </Button>
    )),
  ];
  return (
    <>
      <ListHead
        about={`${canAdminister ? "Browsers signed in to this account." : "Browsers signed in as you."} A session ends 12 hours after its last use, after 7 days, or with its token or member.`}
      >
        <AsCommand
          call={(api) => (canAdminister ? api.sessions.listOfAccount() : api.sessions.list()).page()}
          more={ended.map((id) => ({
            title: "End",
            call: (api) => (canAdminister ? api.sessions.deleteOfAccount(id) : api.sessions.delete(id)),
          }))}
        />
      </ListHead>
      <List caption="Sessions" of={sessions} columns={columns} skeletonRows={2} />
    </>
  );
}
