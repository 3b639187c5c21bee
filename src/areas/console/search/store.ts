import { reversedSuffix } from "../../../core/database/reversed-suffix.ts";
import type { PrefixRange } from "../../../lib/text/prefix-range.ts";
import { runsOf } from "../../../platform/storage/runs.ts";
import type { Reads } from "../../../platform/storage/storage.ts";

/** A resource that was found by a text with the searched prefix. */
export interface FoundRow {
  id: string;
  name: string;
  bucket: string;
  consumer?: string;
  detail?: string | null;
  display_name?: string | null;
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
  consumerNames: {
    columns: "id, name, display_name, description AS detail",
    table: "consumers",
    matched: "name",
  },
  consumerIds: {
    columns: "id, name, display_name, description AS detail",
    table: "consumers",
    matched: "id",
  },
  managerAddresses: { columns: managerColumns(), table: "managers", matched: "email_key" },
  // The index has exactly this expression: what follows the @.
  managerDomains: {
    columns: managerColumns(),
    table: "managers",
    matched: "(replace(email_key, rtrim(email_key, replace(email_key, '@', '')), ''))",
  },
  customerKeys: { columns: "id, customer_key AS name", table: "subscriptions", matched: "customer_key" },
  subscriptionIds: { columns: "id, customer_key AS name", table: "subscriptions", matched: "id" },
  invoiceNumbers: { columns: "id, number AS name, customer_key AS consumer", table: "invoices", matched: "number" },
  keyIds: { columns: keyColumns(), table: "api_keys", matched: "id" },
  keySuffixes: { columns: keyColumns(), table: "api_keys", matched: `(${reversedSuffix})` },
} as const;

export type SearchName = keyof typeof searches;

function managerColumns(): string {
  const columnOf = (column: string) =>
    `(SELECT consumers.${column} FROM consumers WHERE consumers.seq = managers.consumer_seq) AS ${column}`;
  return `${["id", "name", "display_name"].map(columnOf).join(", ")}, email AS detail`;
}

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

/** A consumer with the fields that its words come from. */
export interface WordsRow extends FoundRow {
  display_name: string | null;
  description: string | null;
  tags: string | null;
}

/** Consumers with a word in the range, in the order of these words. The words may be those of a former version. */
export async function consumersByWord(
  reads: Reads,
  { seq, address }: SearchPlaceRow,
  range: PrefixRange,
  limit: number,
): Promise<WordsRow[]> {
  const { condition, bounds } = wordCondition(range);
  const found = await reads.all<Omit<WordsRow, "bucket" | "matched">>(
    `SELECT consumers.id, consumers.name, consumers.display_name, consumers.description, consumers.tags
      FROM (SELECT consumer_seq, word FROM consumer_words WHERE ${condition} ORDER BY word LIMIT ${limit}) AS found
      JOIN consumers ON consumers.seq = found.consumer_seq ORDER BY found.word`,
    [seq, ...bounds],
  );
  return found.map((row) => ({ ...row, bucket: address, matched: row.name }));
}

/** The number of words in the range, at most the limit. */
export async function countConsumersByWord(
  reads: Reads,
  { seq }: SearchPlaceRow,
  range: PrefixRange,
  limit: number,
): Promise<number> {
  const { condition, bounds } = wordCondition(range);
  const row = await reads.one<{ words: number }>(
    `SELECT count(*) AS words FROM (SELECT 1 FROM consumer_words WHERE ${condition} LIMIT ${limit}) AS found`,
    [seq, ...bounds],
  );
  return Number(row!.words);
}

/** Words of names with a part in the range, or one of these parts, in the order of the parts. */
export async function wordsByPart(
  reads: Reads,
  { seq }: SearchPlaceRow,
  { from, before }: PrefixRange,
  limit: number,
): Promise<string[]> {
  const bounds = before === undefined ? [from] : [from, before];
  const rows = await reads.all<{ word: string }>(
    `SELECT word FROM consumer_word_parts WHERE bucket_seq = ? AND part >= ? ${before === undefined ? "" : "AND part < ?"}
      ORDER BY part LIMIT ${limit}`,
    [seq, ...bounds],
  );
  return rows.map(({ word }) => word);
}

/** Which of the words are words of names. */
export async function knownWords(reads: Reads, { seq }: SearchPlaceRow, words: string[]): Promise<Set<string>> {
  const listed = words.map(() => "?").join(", ");
  const rows = await reads.all<{ word: string }>(
    `SELECT word FROM consumer_word_parts WHERE bucket_seq = ? AND part IN (${listed})`,
    [seq, ...words.map((word) => `^${word}`)],
  );
  return new Set(rows.map(({ word }) => word));
}

function wordCondition({ from, before }: PrefixRange): { condition: string; bounds: string[] } {
  return before === undefined
    ? { condition: "bucket_seq = ? AND word >= ?", bounds: [from] }
    : { condition: "bucket_seq = ? AND word >= ? AND word < ?", bounds: [from, before] };
}

export async function keysByHash(reads: Reads, buckets: SearchPlaceRow[], hash: Buffer): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  for (const { seq, address } of buckets) {
    const sql = `SELECT ${keyColumns()} FROM api_keys WHERE bucket_seq = ? AND hash = ?`;
    const found = await reads.one<Omit<FoundRow, "bucket" | "matched">>(sql, [seq, hash]);
    if (found) rows.push({ ...found, bucket: address, matched: found.id });
  }
  return rows;
}

export async function invoicesOf(
  reads: Reads,
  buckets: SearchPlaceRow[],
  column: "number" | "id",
  values: string[],
): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  const sql = `SELECT id, number AS name, customer_key AS consumer FROM invoices WHERE bucket_seq = ? AND ${column} = ?`;
  for (const { seq, address } of buckets)
    for (const value of values) {
      const found = await reads.all<Omit<FoundRow, "bucket" | "matched">>(sql, [seq, value]);
      rows.push(...found.map((row) => ({ ...row, bucket: address, matched: value })));
    }
  return rows;
}

/** By whole ids of other systems: PostgreSQL does not sort these columns by their bytes. */
export async function subscriptionsByExternalId(
  reads: Reads,
  buckets: SearchPlaceRow[],
  id: string,
  limit: number,
): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  for (const { seq, address } of buckets)
    for (const column of ["external_id", "customer_external_id"]) {
      const sql = `SELECT id, customer_key AS name, ${column} AS detail FROM subscriptions WHERE bucket_seq = ? AND ${column} = ? LIMIT ${limit}`;
      const found = await reads.all<Omit<FoundRow, "bucket" | "matched">>(sql, [seq, id]);
      rows.push(...found.map((row) => ({ ...row, bucket: address, matched: id })));
    }
  return rows;
}

/** The beginnings of invoice numbers. */
export async function invoiceSeriesOf(reads: Reads, accountSeq: number): Promise<string[]> {
  const rows = await reads.all<{ series: string }>("SELECT series FROM number_series WHERE account_seq = ?", [
    accountSeq,
  ]);
  return rows.map(({ series }) => series);
}

/** An account has few of these, which are compared in memory. */
const maxCompared = 5_000;

export function deploymentsOf(reads: Reads, accountSeq: number) {
  return reads.all<{ name: string; project: string; branch: string | null }>(
    `SELECT name, project, branch FROM deployments WHERE account_seq = ? ORDER BY name LIMIT ${maxCompared}`,
    [accountSeq],
  );
}

export function plansOf(reads: Reads, accountSeq: number) {
  return reads.all<{ id: string; label: string; external_id: string; bucket: string }>(
    `SELECT plans.id, plans.label, plans.external_id, metering_buckets.id AS bucket
      FROM metering_buckets JOIN plans ON plans.bucket_seq = metering_buckets.seq
      WHERE metering_buckets.account_seq = ? LIMIT ${maxCompared}`,
    [accountSeq],
  );
}

export function domainsOf(reads: Reads, accountSeq: number) {
  return reads.all<{ id: string; host: string }>(
    `SELECT id, host FROM domains WHERE account_seq = ? LIMIT ${maxCompared}`,
    [accountSeq],
  );
}

export function webhooksOf(reads: Reads, accountSeq: number) {
  return reads.all<{ id: string; url: string; description: string | null }>(
    `SELECT id, url, description FROM webhooks WHERE account_seq = ? LIMIT ${maxCompared}`,
    [accountSeq],
  );
}

export function membersOf(reads: Reads, accountSeq: number) {
  return reads.all<{ id: string; email: string; name: string | null; role: string }>(
    `SELECT people.id, people.email, members.name, members.role FROM members JOIN people ON people.seq = members.person_seq
      WHERE members.account_seq = ? LIMIT ${maxCompared}`,
    [accountSeq],
  );
}

export function requestOf(reads: Reads, accountSeq: number, id: string) {
  return reads.one<{ id: string; status: number; method: string; path: string }>(
    "SELECT id, status, method, path FROM requests WHERE account_seq = ? AND id = ?",
    [accountSeq, id],
  );
}

/** The artifacts of the versions that serve. */
export function servedArtifacts(reads: Reads, accountSeq: number, limit: number) {
  return reads.all<{ deployment: string; seq: number; hash: string }>(
    `SELECT deployments.name AS deployment, deployments.seq, deployment_versions.artifact_hash AS hash
      FROM deployments JOIN deployment_versions ON deployment_versions.seq = deployments.active_version_seq
      WHERE deployments.account_seq = ? ORDER BY deployments.name LIMIT ${limit}`,
    [accountSeq],
  );
}

export async function artifactText(reads: Reads, deploymentSeq: number, hash: string): Promise<string | undefined> {
  const row = await reads.one<{ data: string }>(
    "SELECT data FROM deployment_artifacts WHERE deployment_seq = ? AND hash = ?",
    [deploymentSeq, hash],
  );
  return row?.data;
}
