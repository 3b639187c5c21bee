import type { ReactNode } from "react";
import { optionsOf } from "../../../components/field.tsx";
import { now } from "../../../lib/clock.ts";
import { timeFilters } from "../../components/time-range.tsx";
import { useRead, useSession } from "../../queries/session.tsx";
import { FilterBar } from "../../shell/filter-bar.tsx";
import { type RequestSearch, ranges } from "./filter.ts";

interface FiltersProps {
  search: RequestSearch;
  onSearch: (changes: RequestSearch) => void;
  /** Whether the list is of all deployments. */
  hasDeployment: boolean;
  /** Whether the list is of all consumers. */
  hasConsumer: boolean;
  /** Shown at the end of the row. */
  children: ReactNode;
}

const fields = [
  { name: "route", label: "Route", placeholder: "/orders/{id}" },
  { name: "consumer", label: "Consumer", placeholder: "acme" },
  { name: "deployment", label: "Deployment", placeholder: "its name" },
] as const;

const statuses = [
  { value: "2xx", label: "2xx succeeded" },
  { value: "3xx", label: "3xx redirected" },
  { value: "4xx", label: "4xx rejected" },
  { value: "401", label: "401 no valid key" },
  { value: "403", label: "403 not allowed" },
  { value: "404", label: "404 not found" },
  { value: "429", label: "429 over a limit" },
  { value: "5xx", label: "5xx failed" },
];
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export function RequestFilters({ search, onSearch, hasDeployment, hasConsumer, children }: FiltersProps) {
  const known = useKnownValues();
  const set = (name: keyof RequestSearch) => (value: string | undefined) => onSearch({ [name]: value || undefined });
  return (
    <FilterBar
      end={children}
      filters={[
        { label: "Path", placeholder: "Path contains…", value: search.q, onChange: set("q") },
        { label: "Status", value: search.status, options: statuses, onChange: set("status") },
        {
          label: "Method",
          value: search.method,
          options: optionsOf(methods),
          onChange: set("method"),
        },
        ...fields
          .filter(({ name }) => (name !== "deployment" || hasDeployment) && (name !== "consumer" || hasConsumer))
          .map(({ name, label, placeholder }) => ({
            label,
            placeholder,
            value: search[name],
            known: known.data?.[name],
            onChange: set(name),
          })),
        {
          label: "Observed",
          value: search.observed,
          options: observedOptions(search.observed),
          onChange: set("observed"),
        },
        {
          label: "Id",
          placeholder: "req_… or x-request-id",
          value: search.id,
          // A Tollgate id opens its request; an id chosen by callers is a filter.
          onChange: (id) => onSearch(isOurs(id) ? { request: id } : { id }),
        },
        ...timeFilters(ranges, search, onSearch),
      ]}
    />
  );
}

/** What policies in observe would have rejected; one of them by a link. */
const observedOptions = (policy: string | undefined) => [
  { value: "true", label: "Would have been rejected" },
  ...(policy && policy !== "true" ? [{ value: policy, label: `Would have been rejected by ${policy}` }] : []),
];

const isOurs = (id: string | undefined): id is string => id !== undefined && /^req_[0-9A-Za-z]{24}$/.test(id);

/** Routes, consumers and deployments with requests in the last week, the busiest first. */
function useKnownValues() {
  const { isLimited } = useSession();
  return useRead(
    ["analytics", "known-values"],
    async (api, { signal }) => {
      const from = new Date(now() - 7 * 86_400_000).toISOString();
      const keysOf = async (by: "route" | "consumer" | "deployment") => {
        const { series } = await api.analytics.get({ by, from, step: "1d", limit: 100, signal });
        return series.flatMap(({ key, isOther }) => (key && !isOther && key !== "unknown" ? [key] : []));
      };
      const names = ["route", "consumer", "deployment"] as const;
      const [route, consumer, deployment] = await Promise.all(names.map(keysOf));
      return { route, consumer, deployment };
    },
    // They are those of the whole account.
    { staleTime: 60_000, enabled: !isLimited },
  );
}
