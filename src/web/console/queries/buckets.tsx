import type { ReactNode } from "react";
import { FilterSelect } from "../../components/filter-select.tsx";
import { useRead } from "./session.tsx";

/** The default key bucket: the name that docs and CLI use. */
export const defaultBucket = "main";

export function useKeyBuckets(isEnabled = true) {
  return useRead(["key-buckets"], (api, { signal }) => api.buckets.list({ signal }).all(), {
    staleTime: 60_000,
    enabled: isEnabled,
  });
}

export function useMeteringBuckets() {
  return useRead(["metering-buckets"], (api, { signal }) => api.metering.list({ signal }).all(), {
    staleTime: 60_000,
  });
}

/** The bucket from the URL, else the default one, else the first. Undefined until the buckets are loaded. */
export function useChosenKeyBucket(named: string | undefined) {
  const buckets = useKeyBuckets();
  const names = buckets.data?.map(({ name }) => name);
  const hasDefault = !names || names.length === 0 || names.includes(defaultBucket);
  const unnamed = hasDefault ? defaultBucket : names[0];
  return { buckets, names, bucket: named ?? (names && unnamed) };
}

export function useChosenMeteringBucket(named: string | undefined) {
  const buckets = useMeteringBuckets();
  return { buckets, bucket: named ?? buckets.data?.[0]?.id };
}

/** Metering buckets have ids, and may have a name. */
export function labelsOf(buckets: { id: string; name?: string | null }[] | undefined): ReadonlyMap<string, string> {
  return new Map(buckets?.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
}

/** For the metering buckets of the account, or some of them. */
export function MeteringBucketSelect(props: Pick<BucketSelectProps, "value" | "onChange"> & { names?: string[] }) {
  const { data } = useMeteringBuckets();
  const names = data?.map(({ id }) => id);
  return <BucketSelect label="Metering bucket" names={names} labels={labelsOf(data)} {...props} />;
}

interface BucketSelectProps {
  label: string;
  value: string | undefined;
  names: string[] | undefined;
  /** Labels for names that are ids. */
  labels?: ReadonlyMap<string, string>;
  onChange: (name: string) => void;
  children?: ReactNode;
}

/** Rendered only if there is another bucket than the selected one. `children` are always rendered. */
export function BucketSelect({ label, value, names, labels, onChange, children }: BucketSelectProps) {
  // What follows the filters stays hidden: whether there is a choice above it is not known yet.
  if (!names)
    return (
      <>
        <span data-awaits-buckets hidden />
        {children}
      </>
    );
  if (names.length < 2 && (value === undefined || names.includes(value))) return children ?? null;
  return (
    <>
      <FilterSelect
        label={label}
        value={value}
        options={names.map((name) => ({ value: name, label: labels?.get(name) ?? name }))}
        onChange={(name) => onChange(name!)}
      />
      {children}
    </>
  );
}
