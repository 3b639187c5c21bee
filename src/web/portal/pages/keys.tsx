import { KeyRound, MoreHorizontal, Plus } from "lucide-react";
import { useState } from "react";
import type { PortalKey, PortalSession } from "../../../client/transport/portal-schema.gen.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { actionsColumn, List } from "../../components/table.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { now } from "../../lib/clock.ts";
import { plural, shownKey } from "../../lib/format.ts";
import { useRead } from "../queries/api.ts";
import { PageHead } from "../shell/page-head.tsx";
import { type KeyAction, KeyDialog } from "./key-dialogs.tsx";

export default function Keys({ session }: { session: PortalSession }) {
  const [action, setAction] = useState<KeyAction>();
  const keys = useRead("listPortalKeys");
  const isWritable = session.scopes.includes("keys:write");
  const denied = keys.data?.isLimitReached
    ? `You have ${plural(keys.data.keyLimit, "key")}, as many as are allowed. Delete one first.`
    : undefined;
  const create = isWritable && (
    <Button icon={Plus} kind="primary" denied={denied} onClick={() => setAction({ kind: "create" })}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHead title="Keys" action={!keys.error && keys.data?.data.length !== 0 && create}>
        Each program gets its own key, so that you can replace one without the others.
      </PageHead>
      <List
        caption="Keys"
        of={keys}
        empty={
          <EmptyState icon={KeyRound} title="No keys yet" action={create}>
            A key tells the API that a request is yours. Keep it secret, like a password.
          </EmptyState>
        }
        columns={[
          { label: "Name", render: ({ description }) => description ?? <span className="muted">No name</span> },
          { label: "Key", render: ({ key }) => <span className="mono">{shownKey(key)}</span> },
          { label: "State", isLead: true, render: (key) => <State apiKey={key} /> },
          { label: "Last used", render: ({ lastUsedOn }) => <RelativeTime time={lastUsedOn} /> },
          { label: "Expires", render: ({ expiresOn }) => <RelativeTime time={expiresOn} none="Never" /> },
          ...(isWritable ? [actionsColumn((key: PortalKey) => <Actions apiKey={key} onAction={setAction} />)] : []),
        ]}
      />
      {action && <KeyDialog action={action} onClose={() => setAction(undefined)} />}
    </>
  );
}

const hasExpired = ({ expiresOn }: PortalKey): boolean => expiresOn !== null && new Date(expiresOn).getTime() <= now();

function State({ apiKey }: { apiKey: PortalKey }) {
  if (hasExpired(apiKey)) return <Badge>Expired</Badge>;
  return apiKey.isEnabled ? <Badge tone="green">Active</Badge> : <Badge tone="amber">Disabled</Badge>;
}

function Actions({ apiKey, onAction }: { apiKey: PortalKey; onAction: (action: KeyAction) => void }) {
  const name = apiKey.description ?? shownKey(apiKey.key);
  const isOver = hasExpired(apiKey);
  return (
    <Menu
      trigger={<Button icon={MoreHorizontal} kind="quiet" isIcon aria-label={`Actions for ${name}`} />}
      actions={[
        { label: "Rename…", onSelect: () => onAction({ kind: "rename", apiKey }) },
        { label: "Roll…", isHidden: isOver || !apiKey.isEnabled, onSelect: () => onAction({ kind: "roll", apiKey }) },
        {
          label: apiKey.isEnabled ? "Disable…" : "Enable…",
          isHidden: isOver,
          onSelect: () => onAction({ kind: apiKey.isEnabled ? "disable" : "enable", apiKey }),
        },
        { label: "Delete…", isDanger: true, onSelect: () => onAction({ kind: "delete", apiKey }) },
      ]}
    />
  );
}
