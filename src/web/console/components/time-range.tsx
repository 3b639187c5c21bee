import { now } from "../../lib/clock.ts";
import { formatMinute, fromLocalInput } from "../../lib/format.ts";
import type { Filter } from "../shell/filter-bar.tsx";

/** The search parameters of a range: the name of a range that ends now, or two times. */
export interface TimeSearch {
  range?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface NamedRange {
  value: string;
  label: string;
  ms: number;
}

/** A range for the API. A named range is relative to now, so it is computed for each call. */
export function timesOfSearch({ range, from, to }: TimeSearch, ranges: NamedRange[]): Pick<TimeSearch, "from" | "to"> {
  const known = ranges.find(({ value }) => value === range);
  return known ? { from: new Date(now() - known.ms).toISOString() } : { from, to };
}

/** Filters by time: a named range, or from and to. */
export function timeFilters(
  ranges: NamedRange[],
  search: TimeSearch,
  onSearch: (changes: TimeSearch) => void,
): Filter[] {
  const time = (name: "from" | "to", label: string): Filter => ({
    label,
    input: "datetime-local",
    value: search[name] && formatMinute(search[name]),
    onChange: (text) => onSearch({ range: undefined, [name]: text && fromLocalInput(text) }),
  });
  return [
    {
      label: "Range",
      value: search.range,
      options: ranges,
      onChange: (range) => onSearch({ range, from: undefined, to: undefined }),
    },
    time("from", "From"),
    time("to", "To"),
  ];
}
