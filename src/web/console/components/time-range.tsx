import { useState } from "react";
import { TextField } from "../../components/field.tsx";
import { now } from "../../lib/clock.ts";
import { fromLocalInput, toLocalInput } from "../../lib/format.ts";
import { FilterSelect } from "./filter-field.tsx";

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
export function TimeRange({
  all,
  ranges,
  search,
  onSearch,
}: {
  /** The label of no range. */
  all: string;
  ranges: NamedRange[];
  search: TimeSearch;
  onSearch: (changes: TimeSearch) => void;
}) {
  const [isCustom, setCustom] = useState(search.from !== undefined || search.to !== undefined);
  const choose = (range: string | undefined) => {
    setCustom(range === "custom");
    if (range !== "custom") onSearch({ range, from: undefined, to: undefined });
  };
  const time = (name: "from" | "to", label: string) => (
    <TextField
      label={label}
      type="datetime-local"
      value={search[name] ? toLocalInput(search[name]) : ""}
      onChange={({ target }) => onSearch({ range: undefined, [name]: fromLocalInput(target.value) })}
    />
  );
  return (
    <>
      <FilterSelect
        label="Range"
        all={all}
        value={isCustom ? "custom" : search.range}
        options={[...ranges, { value: "custom", label: "From… to…" }]}
        onChange={choose}
      />
      {isCustom && (
        <>
          {time("from", "From")}
          {time("to", "To")}
        </>
      )}
    </>
  );
}
