import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, History } from "lucide-react";
import type { ReactNode } from "react";
import type { AuditEntry, Request } from "../../../../client/index.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import { FilterSelect } from "../../../components/filter-select.tsx";
import { EmptyState, NotLoaded } from "../../../components/notice.tsx";
import { LoadOlder } from "../../../components/table.tsx";
import { formatClock, formatDateTime, formatDay, plural } from "../../../lib/format.ts";
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

/** What the filter shows, and the status of its requests. */
const filters: Record<string, { label: string; status?: string }> = {
  requests: { label: "Requests" },
  rejected: { label: "Rejected requests", status: "4xx" },
  failed: { label: "Failed requests", status: "5xx" },
  changes: { label: "Changes" },
};

interface ActivityProps {
  id: string;
  name: string;
  filter: string | undefined;
  onFilter: (filter: string | undefined) => void;
}

/**
 * The activity of a consumer by day: requests and audit log entries, newest first. What was repeated on a day is one entry at
 * its last time.
 */
export function ConsumerActivity({ id, name, filter, onFilter }: ActivityProps) {
  const { api } = useSession();
  const shown = filter !== undefined && Object.hasOwn(filters, filter) ? filter : undefined;
  const activity = useInfiniteQuery({
    queryKey: ["activity", id, shown],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const { requests, changes } = pageParam;
      const status = shown && filters[shown]!.status;
      const [feed, entries] = await Promise.all([
        requests === undefined
          ? { data: [] }
          : api.requests.list({ consumer: name, status, limit: size, ...beforeOf(requests), signal }),
        changes === undefined ? [] : api.auditLog.list({ resource: id, limit: size, ...beforeOf(changes), signal }),
      ]);
      return { requests: feed.data, changes: entries };
    },
    initialPageParam: {
      requests: shown === "changes" ? undefined : "",
      changes: shown === undefined || shown === "changes" ? "" : undefined,
    } as { requests: string | undefined; changes: string | undefined },
    getNextPageParam: ({ requests, changes }: Page) => {
      const next = { requests: oldestOf(requests), changes: oldestOf(changes) };
      return next.requests === undefined && next.changes === undefined ? undefined : next;
    },
  });
  const { sentence } = useRequestRetention();
  if (activity.error || !activity.data) return <NotLoaded of={activity} />;
  const items = merged(activity.data.pages);
  if (items.length === 0 && shown === undefined)
    return (
      <EmptyState icon={Activity} title="Nothing yet" guide="requests">
        Requests with its keys and changes to it appear here as they happen.
      </EmptyState>
    );
  return (
    <>
      <div className="filters">
        <FilterSelect
          label="Show"
          all="Everything"
          value={shown}
          options={Object.entries(filters).map(([value, { label }]) => ({ value, label }))}
          onChange={onFilter}
        />
      </div>
      {items.length === 0 && (
        <EmptyState
          icon={Activity}
          title="Nothing matches"
          action={<Button onClick={() => onFilter(undefined)}>Show everything</Button>}
        >
          {sentence}
        </EmptyState>
      )}
      {[...Map.groupBy(items, ({ time }) => formatDay(time))].map(([day, ofDay]) => (
        <section className="activity-day" key={day}>
          <h2>{day}</h2>
          <ol className="activity card">
            {[...Map.groupBy(ofDay, kindOf).values()].map((same) => (
              <li key={same[0]!.id}>
                <Repeated items={same as [Item, ...Item[]]} />
                <ClockTime time={same[0]!.time}>{same.length > 1 && "last "}</ClockTime>
              </li>
            ))}
          </ol>
        </section>
      ))}
      <LoadOlder of={activity}>{sentence}</LoadOlder>
    </>
  );
}

/** Items of the same kind on a day are repetitions. */
function kindOf(item: Item): string {
  if ("change" in item) return `${describeChange(item.change)} ${item.change.actor.id}`;
  const { status } = item.request;
  return status < 400 ? "passed" : `${status} ${reasonOf(item.request).cause}`;
}

const ClockTime = ({ time, children }: { time: string; children?: ReactNode }) => (
  <span className="small muted">
    {children}
    <time dateTime={time} title={formatDateTime(time)}>
      {formatClock(time)}
    </time>
  </span>
);

const content = (item: Item) =>
  "request" in item ? <RequestItem request={item.request} /> : <ChangeItem entry={item.change} />;

function Repeated({ items }: { items: [Item, ...Item[]] }) {
  const [last] = items;
  if (items.length === 1) return content(last);
  return (
    <details>
      <summary>{"request" in last ? <RequestsItem items={items} last={last.request} /> : content(last)}</summary>
      <ol className="activity">
        {items.map((item) => (
          <li key={item.id}>
            {content(item)}
            <ClockTime time={item.time} />
          </li>
        ))}
      </ol>
    </details>
  );
}

/** "31 requests rejected: key disabled". */
function RequestsItem({ items, last }: { items: Item[]; last: Request }) {
  const { status } = last;
  const { cause } = reasonOf(last);
  const paths = new Set(
    items.flatMap((item) => ("request" in item ? [`${item.request.method} ${item.request.path}`] : [])),
  );
  const [first] = paths;
  const outcome = status >= 500 ? "failed" : status >= 400 ? "rejected" : "passed";
  return (
    <span className="activity-text">
      <Badge tone={toneOf(status)}>{status}</Badge>
      <span>
        <span className="strong">
          {plural(items.length, "request")} {outcome}
          {status >= 400 && `: ${cause.charAt(0).toLowerCase()}${cause.slice(1)}`}
        </span>{" "}
        <span className="muted">
          <span className="mono">{first}</span>
          {paths.size > 1 && ` and ${plural(paths.size - 1, "other path")}`}
        </span>
      </span>
    </span>
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
    .sort((one, other) => other.time.localeCompare(one.time));
}

const toneOf = (status: number): Tone => (status >= 500 ? "red" : status >= 400 ? "amber" : "green");

function RequestItem({ request }: { request: Request }) {
  const { method, path, status } = request;
  const { cause, details } = reasonOf(request);
  return (
    <span className="activity-text">
      <Badge tone={toneOf(status)}>{status}</Badge>
      <span>
        <span className="mono">
          {method} {path}
        </span>{" "}
        {status >= 400 && (
          <>
            <span className="strong">{cause}</span> <span className="muted">{details}</span>
          </>
        )}
      </span>
    </span>
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
