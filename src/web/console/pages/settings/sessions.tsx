import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Session } from "../../../../client/index.ts";
import { Badge } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { LoadError } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { toast } from "../../../components/toast.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { signedIn } from "../../queries/session.tsx";
import { AsCommand } from "../../shell/requests.tsx";

/** Browsers that are signed in with the same token. */
export function SessionSettings() {
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: async ({ signal }) => (await signedIn.sessions.list({ signal }).all()).reverse(),
  });
  const end = useMutation({
    mutationFn: (id: string) => signedIn.sessions.delete(id),
    onSuccess: () => toast("Session ended"),
    onError: (error) => toast(messageOf(error), "red"),
    onSettled: () => queries.invalidateQueries(),
  });
  if (sessions.error) return <LoadError error={sessions.error} onRetry={() => sessions.refetch()} />;
  const ended = sessions.data?.slice(0, 1).map(({ id }) => id) ?? [];
  const columns: Column<Session>[] = [
    {
      label: "Session",
      render: ({ id, isCurrent }) => (
        <span className="row">
          <code>{id}</code>
          {isCurrent && <Badge tone="green">This browser</Badge>}
        </span>
      ),
    },
    { label: "Signed in", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
    { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
    { label: "Ends at the latest", render: ({ expiresOn }) => <RelativeTime time={expiresOn} /> },
    {
      label: "Actions",
      isActions: true,
      render: ({ id, isCurrent }) => (
        <Button isSmall isBusy={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
          {isCurrent ? "Sign out" : "End"}
        </Button>
      ),
    },
  ];
  return (
    <>
      <div className="section-head">
        <p className="muted">
          Browsers signed in with your token. A session ends 12 hours after its last use, after 7 days, or with the
          token.
        </p>
        <AsCommand
          request={{ path: "/v1/sessions" }}
          more={ended.map((id) => ({ title: "End", request: { method: "DELETE", path: `/v1/sessions/${id}` } }))}
        />
      </div>
      <Table caption="Sessions" columns={columns} rows={sessions.data} keyOf={({ id }) => id} skeletonRows={2} />
    </>
  );
}
