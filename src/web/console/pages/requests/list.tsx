import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Activity, Pause, Play } from "lucide-react";
import { useState } from "react";
import type { Request } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Chart, ChartSkeleton } from "../../../components/chart.tsx";
import { EmptyState, LoadError, Notice } from "../../../components/notice.tsx";
import { type Column, Table } from "../../../components/table.tsx";
import { RelativeTime } from "../../../components/time.tsx";
import { now } from "../../../lib/clock.ts";
import { formatMs, formatNumber, plural } from "../../../lib/format.ts";
import { reasonOf } from "../../../lib/request-reason.ts";
import { ConsumerLink } from "../../components/consumer-link.tsx";
import { useDisplayNames } from "../../queries/display-names.tsx";
import { useRequestRetention } from "../../queries/retention.ts";
import { useRead } from "../../queries/session.tsx";
import { PanelLink, usePanel } from "../../shell/panel-links.tsx";
import { filterOf, hasEnded, isFiltered, noFilter, type RequestSearch } from "./filter.ts";
import { RequestFilters } from "./filters.tsx";
import { RequestPanel } from "./panel.tsx";
import { StatusBadge } from "./status.tsx";
import { useHeld, useRequests } from "./use-requests.ts";

interface RequestListProps {
  /** The search parameters of the page. */
  search: RequestSearch;
  onSearch: (changes: RequestSearch) => void;
  /** Shows only requests to this deployment. */
  deployment?: string;
  /** Shows only requests of this consumer; with an id, not those of others with its name. */
  consumer?: string;
  consumerId?: string | undefined;
}

/** A live list of requests with the reason of each outcome, and the open request. */
export function RequestList({ search: own, onSearch, deployment, consumer, consumerId }: RequestListProps) {
  const search = { ...own, ...(consumer ? { consumer, consumerId } : {}) };
  const [isPaused, setPaused] = useState(false);
  const [isPointedAt, setPointedAt] = useState(false);
  const ended = hasEnded(search);
  const isLive = !isPaused && !ended;
  const list = useRequests({ ...search, deployment: deployment ?? search.deployment }, isLive);
  const { shown, held } = useHeld(list.requests, isPointedAt || search.request !== undefined);
  const set = (changes: RequestSearch) => onSearch(changes);
  const resume = () => {
    // Requests during the pause were not received.
    list.reload();
    setPaused(false);
  };
  const displayNames = useDisplayNames(consumer ? undefined : shown?.map((request) => request.consumer));
  const panel = usePanel("request");
  const columns: Column<Request>[] = [
    {
      label: "Request",
      isText: true,
      render: ({ id, method, path, deployment: name }) => (
        <PanelLink panel="request" id={id} className="mono" title={`${method} ${path}\n${name}`}>
          {method} {path}
        </PanelLink>
      ),
    },
    { label: "Status", isLead: true, render: ({ status }) => <StatusBadge status={status} /> },
    { label: "Why", isText: "wide", render: (request) => <Why request={request} /> },
    ...(consumer ? [] : [consumerColumn(displayNames.data)]),
    { label: "Duration", isNumber: true, isMinor: true, render: ({ durationMs }) => formatMs(durationMs) },
    { label: "When", render: ({ time }) => <RelativeTime time={time} /> },
  ];
  return (
    <>
      <RequestFilters
        search={search}
        onSearch={set}
        hasDeployment={deployment === undefined}
        hasConsumer={consumer === undefined}
      >
        <LiveMark isLive={isLive} held={held} />
        <Button
          icon={isLive ? Pause : Play}
          onClick={isPaused ? resume : () => setPaused(true)}
          disabled={ended}
          title={ended ? "The selected range has ended: there are no new requests." : undefined}
        >
          {isLive ? "Pause" : "Follow"}
        </Button>
      </RequestFilters>
      <RequestHistogram search={search} deployment={deployment} />
      {list.lost && <Notice kind="warning">New requests are not shown. {list.lost}</Notice>}
      <Omitted {...list.omitted} />
      {list.error ? (
        <LoadError error={list.error} />
      ) : list.requests?.length === 0 ? (
        <Nothing search={own} onClear={() => set({ ...noFilter })} />
      ) : (
        <div onPointerEnter={() => setPointedAt(true)} onPointerLeave={() => setPointedAt(false)}>
          <Table caption="Requests" columns={columns} rows={shown} panel={panel} />
          <div className="table-foot">
            <span className="number">{shown && plural(shown.length, "request")}</span>
            {list.hasOlder && (
              <Button isSmall isBusy={list.isLoadingOlder} onClick={list.loadOlder}>
                Load older
              </Button>
            )}
          </div>
        </div>
      )}
      {panel.shown && (
        <RequestPanel
          id={panel.shown}
          known={list.requests?.find(({ id }) => id === panel.shown)}
          onClose={panel.close}
        />
      )}
    </>
  );
}

const consumerColumn = (displayNames: Map<string, string | undefined> | undefined): Column<Request> => ({
  label: "Consumer",
  isText: true,
  render: ({ consumer }) =>
    consumer ? (
      <ConsumerLink name={consumer} displayName={displayNames?.get(consumer)} tab="requests" />
    ) : (
      <span className="muted">No consumer</span>
    ),
});

/** The cause, then the details, without the status, which is shown beside it. Empty for successful requests. */
function Why({ request }: { request: Request }) {
  if (request.status < 400) return null;
  const { cause, details } = reasonOf(request);
  return (
    <span title={`${cause}\n${details}`}>
      <span className="strong">{cause}</span> <span className="muted">{details}</span>
    </span>
  );
}

function LiveMark({ isLive, held }: { isLive: boolean; held: number }) {
  return (
    <span className="live" data-live={isLive || undefined} role="status">
      <i aria-hidden />
      {isLive ? (held > 0 ? `Live, ${formatNumber(held)} more waiting` : "Live") : "Paused"}
    </span>
  );
}

function Omitted({ successes, failures }: { successes: number; failures: number }) {
  if (successes + failures === 0) return null;
  const parts = [
    ...(successes > 0 ? [plural(successes, "success", "successes")] : []),
    ...(failures > 0 ? [plural(failures, "failure")] : []),
  ];
  return (
    <div className="filters">
      <Notice>
        Not in this list: {parts.join(" and ")} of the same minutes. More arrived in one second than are kept; analytics
        counts all of them.
      </Notice>
    </div>
  );
}

function Nothing({ search, onClear }: { search: RequestSearch; onClear: () => void }) {
  const { sentence } = useRequestRetention();
  if (isFiltered(search) || search.deployment)
    return (
      <EmptyState icon={Activity} title="No request matches" action={<Button onClick={onClear}>Clear filters</Button>}>
        {sentence} Paths match any part, all other filters the whole value.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={Activity}
      title="No requests yet"
      guide="requests"
      action={
        <Link className="button" to="/deployments">
          Show deployments
        </Link>
      }
    >
      Requests to your deployments appear here as they happen, with the reason of each rejection.
    </EmptyState>
  );
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const height = 96;

/** All requests of the list's range by outcome, also those that were not recorded. Hidden where a filter cannot be counted. */
function RequestHistogram({ search, deployment }: { search: RequestSearch; deployment: string | undefined }) {
  const { days } = useRequestRetention();
  const { method, q, requestId, status, route, consumer, consumerId, ...filter } = filterOf({
    ...search,
    deployment: deployment ?? search.deployment,
  });
  const isCounted = !method && !q && !requestId && !(consumerId && route);
  // Nothing is counted before the retention of the coarsest step.
  const isKept = days === undefined || new Date(timesOf(search, days).from).getTime() > now() - 700 * dayMs;
  const name = JSON.stringify({ ...search, request: undefined, deployment: filter.deployment });
  const series = useRead(
    ["analytics", "requests", name, days],
    async (api, { signal }) => {
      const { from, to } = timesOf(search, days!);
      const step = stepOf(new Date(from).getTime(), to);
      const options = { from, to, step, status, route, consumer, consumerId, signal } as const;
      const counted = await (filter.deployment
        ? api.analytics.ofDeployment(filter.deployment, options)
        : api.analytics.get(options));
      return {
        points: counted.series[0]?.points ?? [],
        unit: { "1m": "a minute", "1h": "an hour", "1d": "a day" }[step],
      };
    },
    {
      enabled: isCounted && days !== undefined && isKept,
      placeholderData: keepPreviousData,
      refetchInterval: hasEnded(search) ? false : 15_000,
    },
  );
  if (!isCounted || !isKept || series.error) return null;
  if (!series.data) return <ChartSkeleton height={height} />;
  const { points, unit } = series.data;
  return (
    <div className="histogram">
      <Chart
        title="Requests over time"
        height={height}
        isStacked
        isLastIncomplete={!hasEnded(search)}
        unit={`requests ${unit}`}
        empty="No requests in this time range."
        times={points.map(({ time }) => new Date(time).getTime())}
        series={[
          { label: "Errors", color: "chart-3", kind: "area", values: points.map(({ errors }) => errors) },
          { label: "Rejected", color: "chart-2", kind: "area", values: points.map(({ rejected }) => rejected) },
          {
            label: "Passed",
            color: "chart-1",
            kind: "area",
            values: points.map(({ requests, rejected, errors }) => Math.max(requests - rejected - errors, 0)),
          },
        ]}
      />
    </div>
  );
}

/** The range of the search; without a start, as long as requests are kept. */
function timesOf(search: RequestSearch, days: number): { from: string; to: string | undefined } {
  const { from, to } = filterOf(search);
  const end = to ? new Date(to).getTime() : now();
  return { from: from ?? new Date(end - days * dayMs).toISOString(), to };
}

/** The finest step that fits the range and is kept for that long. */
function stepOf(from: number, to: string | undefined): "1m" | "1h" | "1d" {
  const length = (to ? new Date(to).getTime() : now()) - from;
  const age = now() - from;
  if (length <= 3 * hourMs && age < 2 * dayMs) return "1m";
  return length <= 14 * dayMs && age < 89 * dayMs ? "1h" : "1d";
}
