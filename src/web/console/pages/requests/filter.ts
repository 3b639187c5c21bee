import type { RequestFilter } from "../../../../client/index.ts";
import { now } from "../../../lib/clock.ts";
import { type NamedRange, timesOfSearch } from "../../components/time-range.tsx";
import { requestSearchNames } from "../../queries/search-names.ts";

/** The search parameters of a list of requests. */
export type RequestSearch = { [Name in (typeof requestSearchNames)[number]]?: string | undefined } & {
  /** On the page of a consumer, whose name consumers of other key buckets may have. Not a parameter of a page. */
  consumerId?: string | undefined;
};

export const noFilter: RequestSearch = Object.fromEntries(requestSearchNames.map((name) => [name, undefined]));

const minuteMs = 60_000;

/** Without a range, all that is kept. */
export const ranges: NamedRange[] = [
  { value: "15m", label: "Last 15 minutes", ms: 15 * minuteMs },
  { value: "1h", label: "Last hour", ms: 60 * minuteMs },
  { value: "1d", label: "Last day", ms: 24 * 60 * minuteMs },
];

/** The filter for the API. A range is relative to now, so it is computed for each call. */
export function filterOf({ range, from, to, id, ...search }: RequestSearch): RequestFilter {
  const { deployment, status, method, route, consumer, consumerId, observed, q } = search;
  const times = timesOfSearch({ range, from, to }, ranges);
  return { deployment, status, method, route, consumer, consumerId, observed, q, requestId: id, ...times };
}

export const isFiltered = ({ deployment: _, ...search }: RequestSearch): boolean =>
  Object.values(filterOf(search)).some(Boolean);

/** No new requests are expected in a range that has ended. */
export const hasEnded = ({ range, to }: RequestSearch): boolean =>
  !ranges.some(({ value }) => value === range) && to !== undefined && new Date(to).getTime() <= now();
