import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, History } from "lucide-react";
import type { AuditEntry, Request } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { EmptyState, LoadError } from "../../../components/notice.tsx";
import { SkeletonLines } from "../../../components/skeleton.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { reasonOf } from "../../../lib/request-reason.ts";
import { describeChange } from "../../components/change-list.tsx";
import { useRequestRetention } from "../../queries/retention.ts";
import { useSession } from "../../queries/session.tsx";

const size = 30;

interface Page {
  requests: Request[];
  changes: AuditEntry[];
}

type Item = { id: string; time: string } & ({ request: Request } | { change: AuditEntry });

/** The activity of a consumer in one timeline: requests and audit log entries, newest first. */
export function ConsumerActivity({ id, name }: { id: string; name: string }) {
  const { api } = useSession();
  const activity = useInfiniteQuery({
    queryKey: ["activity", id],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const { requests, changes } = pageParam;
      const [feed, entries] = await Promise.all([
        requests === undefined
          ? { data: [] }
          : api.requests.list({ consumer: name, limit: size, ...beforeOf(requests), signal }),
        changes === undefined ? [] : api.auditLog.list({ resource: id, limit: size, ...beforeOf(changes), signal }),
      ]);
      return { requests: feed.data, changes: entries };
    },
    initialPageParam: { requests: "", changes: "" } as { requests: string | undefined; changes: string | undefined },
    getNextPageParam: ({ requests, changes }: Page) => {
      const next = { requests: oldestOf(requests), changes: oldestOf(changes) };
      return next.requests === undefined && next.changes === undefined ? undefined : next;
    },
  });
  const { sentence } = useRequestRetention();
  if (activity.error) return <LoadError error={activity.error} onRetry={() => activity.refetch()} />;
  if (!activity.data) return <SkeletonLines />;
  const items = merged(activity.data.pages);
  if (items.length === 0)
    return (
      <EmptyState icon={<Activity size={20} aria-hidden />} title="Nothing yet" guide="requests">
        Requests with its keys and changes of it are listed here as they happen.
      </EmptyState>
    );
  return (
    <>
      <ol className="activity card">
        {items.map((item) => (
          <li key={item.id}>
            {"request" in item ? <RequestItem request={item.request} /> : <ChangeItem entry={item.change} />}
            <span className="small muted">
              <RelativeTime time={item.time} />
            </span>
          </li>
        ))}
      </ol>
      <div className="table-foot">
        <span>{sentence}</span>
        {activity.hasNextPage && (
          <Button isSmall isBusy={activity.isFetchingNextPage} onClick={() => activity.fetchNextPage()}>
            Load older
          </Button>
        )}
      </div>
    </>
  );
}

const beforeOf = (before: string) => (before === "" ? {} : { before });

/** The cursor of the next page of a feed; undefined after the last page. */
const oldestOf = (page: { id: string }[]): string | undefined => (page.length < size ? undefined : page.at(-1)?.id);

/** Omits items older than the loaded end of either feed, because items in between may not be loaded yet. */
function merged(pages: Page[]): Item[] {
  const requests = pages.flatMap((page) => page.requests);
  const changes = pages.flatMap((page) => page.changes);
  const last = pages.at(-1)!;
  const ends = [
    ...(oldestOf(last.requests) ? [requests.at(-1)!.time] : []),
    ...(oldestOf(last.changes) ? [changes.at(-1)!.time] : []),
  ];
  const known = ends.sort().at(-1) ?? "";
  return [
    ...requests.map((request) => ({ id: request.id, time: request.time, request })),
    ...changes.map((change) => ({ id: change.id, time: change.time, change })),
  ]
    .filter(({ time }) => time >= known)
    .sort((one, other) => (one.time < other.time ? 1 : -1));
}

const toneOf = (status: number): Tone => (status >= 500 ? "red" : status >= 400 ? "amber" : "green");

function RequestItem({ request }: { request: Request }) {
  const { method, path, status } = request;
  return (
    <span className="activity-text">
      <Badge tone={toneOf(status)}>{status}</Badge>
      <span>
        <span className="mono">
          {method} {path}
        </span>{" "}
        {status >= 400 && <Reason request={request} />}
      </span>
    </span>
  );
}

function Reason({ request }: { request: Request }) {
  const { cause, details } = reasonOf(request);
  return (
    <>
      <span className="strong">{cause}</span> <span className="muted">{details}</span>
    </>
  );
}

function ChangeItem({ entry }: { entry: AuditEntry }) {
  return (
    <span className="activity-text">
      <History size={16} aria-hidden />
      <span>
        <Link to="/audit-log" search={{ resource: entry.resource.id, entry: entry.id }}>
          {describeChange(entry)}
        </Link>{" "}
        <span className="muted">by {entry.actor.name ?? entry.actor.type}</span>
      </span>
    </span>
  );
}
