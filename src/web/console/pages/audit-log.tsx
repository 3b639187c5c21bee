import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ScrollText, ShieldCheck } from "lucide-react";
import type { AuditEntry } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Option } from "../../components/field.tsx";
import { EmptyState, ErrorNotice, Notice } from "../../components/notice.tsx";
import { type Column, List, LoadOlder } from "../../components/table.tsx";
import { ExactTime } from "../../components/time.tsx";
import { plural } from "../../lib/format.ts";
import { command } from "../../lib/shell.ts";
import { describeChange } from "../components/change-list.tsx";
import { type NamedRange, timeFilters, timesOfSearch } from "../components/time-range.tsx";
import { useRead, useSession } from "../queries/session.tsx";
import { FilterBar } from "../shell/filter-bar.tsx";
import { PageHead } from "../shell/page.tsx";
import { PanelLink, usePanel } from "../shell/panel-links.tsx";
import { AsCommand, useCall } from "../shell/requests.tsx";
import { EntryPanel } from "./audit-log/entry-panel.tsx";
import { ExportLog } from "./audit-log/export-log.tsx";

/** The number of recent entries from which actors are collected. */
const looked = 200;

/** Recent actors, and tokens if the role may list them: names for the choice, ids for the filter. */
function useActors(): Option[] {
  const { canAdminister } = useSession();
  const recent = useRead(["audit-log", "actors"], (api, { signal }) => api.auditLog.list({ limit: looked, signal }), {
    staleTime: 60_000,
  });
  const tokens = useRead(["tokens", "all"], (api, { signal }) => api.tokens.list({ signal }).all(), {
    enabled: canAdminister,
  });
  const known = [...(recent.data ?? []).map(({ actor }) => actor), ...(tokens.data ?? [])];
  const names = new Map(known.map(({ id, name }) => [id, name || id]));
  return [...names].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label));
}

const route = getRouteApi("/frame/audit-log");
const size = 50;

const dayMs = 86_400_000;
const ranges: NamedRange[] = [
  { value: "1d", label: "Last day", ms: dayMs },
  { value: "7d", label: "Last 7 days", ms: 7 * dayMs },
  { value: "30d", label: "Last 30 days", ms: 30 * dayMs },
];

const actorTypes: { value: AuditEntry["actor"]["type"]; label: string }[] = [
  { value: "person", label: "People" },
  { value: "token", label: "Tokens" },
  { value: "manager", label: "Customers in the portal" },
  { value: "client", label: "Programs of customers" },
  { value: "operator", label: "Operator" },
  { value: "system", label: "Tollgate" },
];

export function AuditLogPage() {
  const { api } = useSession();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/audit-log" });
  const actorType = actorTypes.find(({ value }) => value === search.actorType);
  const { action, actor, resource, range, from, to } = search;
  const filter = { action, actor, actorType: actorType?.value, resource };
  const log = useInfiniteQuery({
    queryKey: ["audit-log", filter, range, from, to],
    queryFn: ({ pageParam, signal }) =>
      api.auditLog.list({ ...filter, ...timesOfSearch(search, ranges), limit: size, before: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: AuditEntry[]) => (page.length < size ? undefined : page.at(-1)?.id),
  });
  const verify = useCall({ call: (api) => api.auditLog.verify() });
  const isFiltered = [...Object.values(filter), range, from, to].some(Boolean);
  const set = (changes: Record<string, string | undefined>) =>
    navigate({ search: (old) => ({ ...old, ...changes }) as typeof old });
  const entries = log.data?.pages.flat();
  const exported = { ...filter, ...timesOfSearch(search, ranges) };
  const actors = useActors();
  const panel = usePanel("entry");
  const columns: Column<AuditEntry>[] = [
    {
      label: "Change",
      isText: "wide",
      render: (entry) => (
        <PanelLink panel="entry" id={entry.id} title={entry.action}>
          {describeChange(entry)}
        </PanelLink>
      ),
    },
    { label: "Who", render: ({ actor }) => actor.name ?? <span className="mono">{actor.id}</span> },
    { label: "From", isMinor: true, render: ({ ip }) => ip && <span className="mono">{ip}</span> },
    { label: "When", render: ({ time }) => <ExactTime time={time} /> },
  ];
  return (
    <>
      <PageHead
        title="Audit log"
        actions={
          <>
            <AsCommand
              call={(api) => api.auditLog.list(exported)}
              more={[
                { title: "Verify", call: (api) => api.auditLog.verify() },
                {
                  title: "Export",
                  call: (api) => api.auditLog.csv(exported),
                  command: `${command("audit", "export")} > audit.jsonl`,
                },
              ]}
            />
            <ExportLog filter={exported} />
            <Button icon={ShieldCheck} isBusy={verify.isPending} onClick={() => verify.mutate()}>
              Verify
            </Button>
          </>
        }
      >
        <p>Every change to this account: who made it, when, and what changed.</p>
      </PageHead>
      {verify.error && (
        <div className="first-command">
          <ErrorNotice error={verify.error} />
        </div>
      )}
      {verify.data && (
        <div className="first-command">
          <Notice kind={verify.data.intact ? "success" : "error"}>
            {verify.data.intact
              ? `The log is intact: ${plural(verify.data.entries, "entry", "entries")} verified.`
              : "The chain is broken: entries were changed or removed outside this server."}
          </Notice>
        </div>
      )}
      <FilterBar
        filters={[
          { label: "Action", placeholder: "Action: key.*", value: action, onChange: (next) => set({ action: next }) },
          { label: "Actor", value: actor, options: actors, onChange: (next) => set({ actor: next }) },
          {
            label: "Made by",
            value: actorType?.value,
            options: actorTypes,
            onChange: (chosen) => set({ actorType: chosen }),
          },
          {
            label: "Resource",
            placeholder: "A type or an id",
            value: resource,
            onChange: (next) => set({ resource: next }),
          },
          ...timeFilters(ranges, search, (changes) => set({ ...changes })),
        ]}
      />
      <List
        caption="Audit log"
        of={{ data: entries, error: log.error }}
        columns={columns}
        panel={panel}
        foot={<LoadOlder of={log}>{entries && plural(entries.length, "entry", "entries")}</LoadOlder>}
        empty={
          isFiltered ? (
            <EmptyState
              icon={ScrollText}
              title="No entry matches"
              action={<Button onClick={() => navigate({ search: {} })}>Clear filters</Button>}
            >
              Actions match in full or as key.*, resources by type or id.
            </EmptyState>
          ) : (
            <EmptyState icon={ScrollText} title="No entries" guide="audit-log">
              Changes to consumers, keys, plans, deployments and tokens appear here as they are made.
            </EmptyState>
          )
        }
      />
      {panel.shown && (
        <EntryPanel id={panel.shown} known={entries?.find(({ id }) => id === panel.shown)} onClose={panel.close} />
      )}
    </>
  );
}
