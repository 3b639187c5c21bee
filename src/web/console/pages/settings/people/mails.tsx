import { useQuery } from "@tanstack/react-query";
import type { Mail } from "../../../../../client/index.ts";
import { Badge, type Tone } from "../../../../components/badge.tsx";
import { type Column, Table } from "../../../../components/table.tsx";
import { RelativeTime } from "../../../../components/time.tsx";
import { useSession } from "../../../queries/session.tsx";

const tones: Record<Mail["state"], Tone> = { queued: "amber", sent: "green", failed: "red", expired: "grey" };

/** The newest mail of the account. Nothing is shown if there is none. */
export function Mails() {
  const { api } = useSession();
  const mails = useQuery({
    queryKey: ["mails"],
    queryFn: async ({ signal }) => (await api.members.mails({ limit: 20, signal }).page()).data,
    refetchInterval: ({ state }) => (state.data?.some((mail) => mail.state === "queued") ? 2000 : false),
  });
  if (!mails.data || mails.data.length === 0) return null;
  const columns: Column<Mail>[] = [
    { label: "To", render: ({ to }) => <span className="truncate">{to}</span> },
    { label: "Mail", render: ({ kind }) => (kind === "sign-in" ? "Sign-in" : "Invitation") },
    { label: "State", render: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
    { label: "Error", isText: true, isMinor: true, render: ({ error }) => error },
    { label: "Created", render: ({ createdOn }) => <RelativeTime time={createdOn} /> },
  ];
  return (
    <section className="stack section">
      <h2>Mail</h2>
      <Table caption="Mail" columns={columns} rows={mails.data} keyOf={({ id }) => id} />
    </section>
  );
}
