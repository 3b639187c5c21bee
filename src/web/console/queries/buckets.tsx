import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSession } from "./session.tsx";

/** Where keys live by default: the name that docs and CLI use. */
export const usualBucket = "main";

export function useKeyBuckets() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["key-buckets"],
    queryFn: ({ signal }) => api.buckets.list({ signal }).all(),
    staleTime: 60_000,
  });
}

export function useMeteringBuckets() {
  const { api } = useSession();
  return useQuery({
    queryKey: ["metering-buckets"],
    queryFn: ({ signal }) => api.metering.list({ signal }).all(),
    staleTime: 60_000,
  });
}

/** The bucket that the address names, else the usual one, else the first. */
export function useChosenKeyBucket(named: string | undefined) {
  const buckets = useKeyBuckets();
  const names = buckets.data?.map(({ name }) => name);
  const bucket = named ?? (names && names.length > 0 && !names.includes(usualBucket) ? names[0] : usualBucket);
  return { buckets, names, bucket: buckets.data || named ? bucket : undefined };
}

export function useChosenMeteringBucket(named: string | undefined) {
  const buckets = useMeteringBuckets();
  return { buckets, bucket: named ?? buckets.data?.[0]?.id };
}

/** Metering buckets have ids, and may have a name. */
export function labelsOf(buckets: { id: string; name?: string | null }[] | undefined): ReadonlyMap<string, string> {
  return new Map(buckets?.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
}

/** Only where there is a choice. */
export function BucketSelect({
  label,
  value,
  names,
  labels,
  onChange,
  children,
}: {
  label: string;
  value: string | undefined;
  names: string[] | undefined;
  /** What people read in place of a name that is an id. */
  labels?: ReadonlyMap<string, string>;
  onChange: (name: string) => void;
  children?: ReactNode;
}) {
  if (!names || (names.length < 2 && (value === undefined || names.includes(value)))) return children ?? null;
  return (
    <>
      <select className="input" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {[...new Set([...names, ...(value ? [value] : [])])].map((name) => (
          <option key={name} value={name}>
            {labels?.get(name) ?? name}
          </option>
        ))}
      </select>
      {children}
    </>
  );
}
