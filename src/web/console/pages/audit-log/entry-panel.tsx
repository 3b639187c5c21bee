import type { AuditEntry } from "../../../../client/index.ts";
import { Copyable } from "../../../components/copy.tsx";
import { Diff } from "../../../components/diff.tsx";
import { Facts } from "../../../components/facts.tsx";
import { LoadError, Notice, SkeletonLines } from "../../../components/notice.tsx";
import { SidePanel } from "../../../components/side-panel.tsx";
import { formatDateTime } from "../../../lib/format.ts";
import { describeChange } from "../../components/change-list.tsx";
import { useRead } from "../../queries/session.tsx";

interface Props {
  id: string;
  /** The entry from the list; an older entry, opened by a link, is requested. */
  known: AuditEntry | undefined;
  onClose: () => void;
}

export function EntryPanel({ id, known, onClose }: Props) {
  const entry = useRead(
    ["audit-log", "entry", id],
    async (api, { signal }) => {
      // The newest entry before the following id is the entry itself.
      const [found] = await api.auditLog.list({ before: `${id}0`, limit: 1, signal });
      return found?.id === id ? found : null;
    },
    {
      ...(known ? { initialData: known } : {}),
      enabled: known === undefined,
    },
  );
  const shown = known ?? entry.data;
  return (
    <SidePanel title={shown ? describeChange(shown) : "Entry"} isWide onClose={onClose}>
      {entry.error && <LoadError error={entry.error} />}
      {shown === null && <Notice kind="warning">The entry does not exist or has expired.</Notice>}
      {shown === undefined && !entry.error && <SkeletonLines />}
      {shown && <Entry entry={shown} />}
    </SidePanel>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { action, resource, actor, time, ip, assistant, requestId, changes, counts, isSealed, id } = entry;
  return (
    <>
      <Facts
        of={{
          When: formatDateTime(time),
          Who: (
            <>
              {actor.name ?? actor.type} <Copyable text={actor.id} />
            </>
          ),
          Action: <code>{action}</code>,
          What: (
            <>
              {resource.type} {resource.name} <Copyable text={resource.id} />
            </>
          ),
          Of: resource.parent && (
            <>
              {resource.parent.type} {resource.parent.name ?? resource.parent.id}
            </>
          ),
          Assistant: assistant,
          From: ip && <Copyable text={ip} />,
          Request: requestId && <Copyable text={requestId} />,
          Entry: <Copyable text={id} />,
          Sealed: isSealed ? "Yes" : "Within seconds",
        }}
      />
      {counts && (
        <p>
          {Object.entries(counts)
            .map(([name, count]) => `${name}: ${count}`)
            .join(", ")}
        </p>
      )}
      {changes.length > 0 && (
        <section className="stack stack-tight">
          <h3>Changes</h3>
          {changes.map(({ pointer, before, after }) => (
            <Diff key={pointer} label={pointer || "All of it"} before={textOf(before)} after={textOf(after)} />
          ))}
        </section>
      )}
    </>
  );
}

const textOf = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, null, 2));
