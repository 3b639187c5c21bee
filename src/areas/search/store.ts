import { reversedSuffix } from "../../core/database/reversed-suffix.ts";
import type { PrefixRange } from "../../lib/text/prefix-range.ts";
import { runsOf } from "../../platform/storage/runs.ts";
import type { Reads } from "../../platform/storage/storage.ts";

/** A resource that was found by a text with the searched prefix. */
export interface FoundRow {
  id: string;
  name: string;
  bucket: string;
  consumer?: string;
  /** The text that was compared. */
  matched: string;
}

/** A bucket of an account: its number, and its name or id. */
export interface SearchPlaceRow {
  seq: number;
  address: string;
}

export function keyBucketsOf(reads: Reads, accountSeq: number): Promise<SearchPlaceRow[]> {
  return reads.all("SELECT seq, name AS address FROM key_buckets WHERE account_seq = ? ORDER BY seq", [accountSeq]);
}

export function meteringBucketsOf(reads: Reads, accountSeq: number): Promise<SearchPlaceRow[]> {
  return reads.all("SELECT seq, id AS address FROM metering_buckets WHERE account_seq = ? ORDER BY seq", [accountSeq]);
}

/**
 * The queries of a search. Each reads one range of one index of one bucket, in order, and stops at the limit, so the
 * cost does not depend on the number of rows. `matched` is the indexed column. Ranges are used instead of LIKE, because
 * `%` and `_` are literal characters here.
 */
const searches = {
  consumerNames: { columns: "id, name, '' AS consumer", table: "consumers", matched: "name" },
  consumerIds: { columns: "id, name, '' AS consumer", table: "consumers", matched: "id" },
  planNames: { columns: "id, external_id AS name, '' AS consumer", table: "plans", matched: "external_id" },
  planLabels: { columns: "id, label AS name, '' AS consumer", table: "plans", matched: "label" },
  planIds: { columns: "id, external_id AS name, '' AS consumer", table: "plans", matched: "id" },
  customerKeys: {
    columns: "id, customer_key AS name, '' AS consumer",
    table: "subscriptions",
    matched: "customer_key",
  },
  subscriptionIds: { columns: "id, customer_key AS name, '' AS consumer", table: "subscriptions", matched: "id" },
  keyIds: { columns: keyColumns(), table: "api_keys", matched: "id" },
  keySuffixes: { columns: keyColumns(), table: "api_keys", matched: `(${reversedSuffix})` },
} as const;

export type SearchName = keyof typeof searches;

function keyColumns(): string {
  return "id, suffix AS name, (SELECT consumers.name FROM consumers WHERE consumers.seq = api_keys.consumer_seq) AS consumer";
}

function statement(name: SearchName, buckets: number, isBounded: boolean, limit: number): string {
  const { columns, table, matched } = searches[name];
  const one = `SELECT * FROM (SELECT ${columns}, ${matched} AS matched, bucket_seq FROM ${table}
    WHERE bucket_seq = ? AND ${matched} >= ? ${isBounded ? `AND ${matched} < ?` : ""} ORDER BY ${matched} LIMIT ${limit}) AS found`;
  return Array(buckets).fill(one).join(" UNION ALL ");
}

export async function findByPrefix(
  reads: Reads,
  name: SearchName,
  buckets: SearchPlaceRow[],
  { from, before }: PrefixRange,
  limit: number,
): Promise<FoundRow[]> {
  const addresses = new Map(buckets.map(({ seq, address }) => [seq, address]));
  const found: (FoundRow & { bucket_seq: number })[] = [];
  for (const run of runsOf(buckets)) {
    const bounds = before === undefined ? [from] : [from, before];
    const parameters = run.flatMap(({ seq }) => [seq, ...bounds]);
    found.push(
      ...(await reads.all<FoundRow & { bucket_seq: number }>(
        statement(name, run.length, before !== undefined, limit),
        parameters,
      )),
    );
  }
  return found.map((row) => ({ ...row, bucket: addresses.get(row.bucket_seq)! }));
}

/** Deployments belong to the account itself. */
export function deploymentsByPrefix(
  reads: Reads,
  accountSeq: number,
  { from, before }: PrefixRange,
  limit: number,
): Promise<{ name: string }[]> {
  const bound = before === undefined ? "" : "AND name < ?";
  return reads.all(
    `SELECT name FROM deployments WHERE account_seq = ? AND name >= ? ${bound} ORDER BY name LIMIT ${limit}`,
    before === undefined ? [accountSeq, from] : [accountSeq, from, before],
  );
}

/** Domains belong to the account itself. */
export function domainsByPrefix(
  reads: Reads,
  accountSeq: number,
  column: "host" | "id",
  { from, before }: PrefixRange,
  limit: number,
): Promise<{ id: string; host: string }[]> {
  const bound = before === undefined ? "" : `AND ${column} < ?`;
  return reads.all(
    `SELECT id, host FROM domains WHERE account_seq = ? AND ${column} >= ? ${bound} ORDER BY ${column} LIMIT ${limit}`,
    before === undefined ? [accountSeq, from] : [accountSeq, from, before],
  );
}
