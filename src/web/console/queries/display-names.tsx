import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Consumer, ListConsumersOptions, Tollgate } from "../../../client/index.ts";
import { defaultBucket } from "./buckets.tsx";
import { useRead, useSession } from "./session.tsx";

/** With more key buckets, only the oldest are looked at. */
const maxBuckets = 10;

const bucketName = ({ name }: { name: string }) => name;

/** A customer key may be any text. Such customers have no consumer, and a comma would separate names. */
export const isConsumerName = (name: string): boolean => /^[a-z0-9-]{1,128}$/.test(name);

/** Consumers with these names: in one key bucket, or in all, those of the default bucket first. */
export async function consumersNamed(
  api: Tollgate,
  names: string[],
  signal: AbortSignal,
  only?: string,
  options: Pick<ListConsumersOptions, "includeApiKeys" | "keyFormat"> = {},
): Promise<(Consumer & { bucket: string })[]> {
  const valid = [...new Set(names)].filter(isConsumerName);
  if (valid.length === 0) return [];
  const buckets = only ? [only] : (await api.buckets.list({ limit: maxBuckets, signal }).page()).data.map(bucketName);
  const found = await Promise.all(
    buckets.map(async (bucket) => {
      const { data } = await api
        .consumers(bucket)
        .list({ ...options, names: valid, limit: valid.length, signal })
        .page();
      return data.map((consumer) => ({ ...consumer, bucket }));
    }),
  );
  const rank = ({ bucket }: { bucket: string }) => (bucket === defaultBucket ? 0 : 1);
  return found.flat().sort((one, other) => rank(one) - rank(other));
}

/** What people call a customer: the consumer's display name, else the legal name on invoices, else the name. */
export function displayNameOf(
  name: string,
  { displayName, legalName }: { displayName?: string | undefined; legalName?: string | undefined },
): string {
  return displayName || legalName || name;
}

const maxNames = 100;

/**
 * The display names of the consumers with these names: up to 100, as on one page of a list. `bucket`: only those of a key
 * bucket, since others may have consumers of the same names.
 */
export function useDisplayNames(all: (string | null | undefined)[] | undefined, bucket?: string) {
  const { isLimited } = useSession();
  const names = [...new Set(all)]
    .filter((name) => typeof name === "string")
    .slice(0, maxNames)
    .sort();
  return useRead(
    ["consumers", "named", names, bucket],
    async (api, { signal }) => {
      const consumers = await consumersNamed(api, names, signal, bucket);
      // The first of several with the same name wins.
      return new Map(consumers.toReversed().map(({ name, displayName }) => [name, displayName]));
    },
    {
      enabled: names.length > 0 && !isLimited,
      placeholderData: keepPreviousData,
      staleTime: 60_000,
    },
  );
}

interface CustomerNameProps {
  name: string;
  displayName?: string | undefined;
  legalName?: string | undefined;
}

/** The display name of a customer, and beside it the name that the API uses. */
export function CustomerName({ name, ...known }: CustomerNameProps) {
  const display = displayNameOf(name, known);
  if (display === name) return <>{name}</>;
  return (
    <span className="customer-name" title={`${display}\n${name}`}>
      <span className="truncate">{display}</span> <span className="mono muted">{name}</span>
    </span>
  );
}

/** The name of a customer, as a link to its invoices. */
export function CustomerLink({ bucket, isRow, ...names }: CustomerNameProps & { bucket: string; isRow?: boolean }) {
  return (
    <Link
      {...(isRow && { className: "row-link" })}
      to="/customers/$bucket/$key"
      params={{ bucket, key: names.name }}
      search={{ tab: "billing" }}
    >
      <CustomerName {...names} />
    </Link>
  );
}
