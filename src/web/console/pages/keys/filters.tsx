import { FilterField, FilterSelect } from "../../components/filter-field.tsx";
import { BucketSelect } from "../../queries/buckets.tsx";
import { FilterBar } from "../../shell/filter-bar.tsx";
import { expiries, type KeySearch, uses, whereOf } from "./filter.ts";

export function KeyFilters({
  search,
  bucket,
  names,
  onSearch,
}: {
  search: KeySearch;
  bucket: string | undefined;
  names: string[] | undefined;
  onSearch: (changes: KeySearch) => void;
}) {
  const set = (name: keyof KeySearch) => (value: string | undefined) => onSearch({ [name]: value });
  return (
    <FilterBar count={Object.keys(whereOf(search)).length}>
      <BucketSelect label="Key bucket" value={bucket} names={names} onChange={set("bucket")} />
      <FilterSelect label="Use" all="Any use" value={search.use} options={uses} onChange={set("use")} />
      <FilterSelect
        label="Expiry"
        all="Any expiry"
        value={search.expires}
        options={expiries}
        onChange={set("expires")}
      />
      <FilterSelect
        label="State"
        all="Enabled or not"
        value={search.enabled}
        options={[
          { value: "true", label: "Enabled" },
          { value: "false", label: "Disabled" },
        ]}
        onChange={set("enabled")}
      />
      <FilterField
        label="Filter by suffix"
        placeholder="Ends with: 1b2c3d4e"
        value={search.suffix}
        // The URL contains at most the part of a pasted key that its mask shows.
        onChange={(suffix) => onSearch({ suffix: suffix?.replace(/^(\*+|…)/, "").slice(-8) })}
      />
      <FilterField
        label="Filter by permission"
        placeholder="Permission: orders:read"
        value={search.permission}
        onChange={set("permission")}
      />
      <FilterField
        label="Filter by tag"
        placeholder="Consumer's tag: plan=gold"
        value={search.tag}
        onChange={set("tag")}
      />
    </FilterBar>
  );
}
