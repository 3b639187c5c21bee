import { maxSuffixLength } from "../../core/database/reversed-suffix.ts";
import { prefixRange } from "../../lib/text/prefix-range.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import * as store from "./store.ts";

export const foundTypes = ["consumer", "deployment", "plan", "subscription", "key", "domain"] as const;

export interface SearchMatch {
  type: (typeof foundTypes)[number];
  id: string;
  name: string;
  /** The path of the resource in the API. */
  path: string;
}

interface SearchScope {
  account: { seq: number; name: string };
  /** The host of a deployment. */
  hostOf(deployment: string): string;
}

const maxResults = 20;

/** Returns resources that begin with the text, ordered by type; within a type exact matches first, then by name. */
export async function search(reads: Reads, scope: SearchScope, text: string): Promise<SearchMatch[]> {
  const found: SearchMatch[] = [];
  const searches = [findConsumers, findDeployments, findPlans, findSubscriptions, findKeys, findDomains];
  for (const find of searches) {
    found.push(...(await find(reads, scope, text)));
    if (found.length >= maxResults) break;
  }
  return found.slice(0, maxResults);
}

async function findConsumers(reads: Reads, { account }: SearchScope, text: string): Promise<SearchMatch[]> {
  const buckets = await store.keyBucketsOf(reads, account.seq);
  const rows = await byPrefix(reads, ["consumerNames", "consumerIds"], buckets, text);
  return rows.map(({ id, name, bucket }) => ({
    type: "consumer",
    id,
    name,
    path: `/v1/accounts/${account.name}/key-buckets/${bucket}/consumers/${encodeURIComponent(name)}`,
  }));
}

/** By name, and by host without the suffix that all deployments share. */
async function findDeployments(reads: Reads, { account, hostOf }: SearchScope, text: string): Promise<SearchMatch[]> {
  const host = text.toLowerCase();
  const rows = await store.deploymentsByPrefix(reads, account.seq, prefixRange(text), maxResults);
  const [before = ""] = hostOf("{name}").split("{name}");
  const named = host.startsWith(before) ? host.slice(before.length).split(".")[0]! : "";
  if (rows.length === 0 && named !== "") {
    const byHost = await store.deploymentsByPrefix(reads, account.seq, prefixRange(named), maxResults);
    rows.push(...byHost.filter(({ name }) => hostOf(name).startsWith(host)));
  }
  return rows.map(({ name }) => ({ type: "deployment", id: name, name, path: `/v1/deployments/${name}` }));
}

/** The name of a plan here is the field that matched: its external id or its label. */
async function findPlans(reads: Reads, { account }: SearchScope, text: string): Promise<SearchMatch[]> {
  const buckets = await store.meteringBucketsOf(reads, account.seq);
  const rows = await byPrefix(reads, ["planNames", "planLabels", "planIds"], buckets, text);
  return rows.map(({ id, name, bucket }) => ({ type: "plan", id, name, path: `/v1/metering/${bucket}/plans/${id}` }));
}

async function findSubscriptions(reads: Reads, { account }: SearchScope, text: string): Promise<SearchMatch[]> {
  const buckets = await store.meteringBucketsOf(reads, account.seq);
  const rows = await byPrefix(reads, ["customerKeys", "subscriptionIds"], buckets, text);
  return rows.map(({ id, name, bucket }) => ({
    type: "subscription",
    id,
    name,
    path: `/v1/metering/${bucket}/subscriptions/${id}`,
  }));
}

/** By id, and by the end of the value, of which only the characters in the mask are compared. */
async function findKeys(reads: Reads, { account }: SearchScope, text: string): Promise<SearchMatch[]> {
  const buckets = await store.keyBucketsOf(reads, account.seq);
  const rows = await byPrefix(reads, ["keyIds"], buckets, text);
  const end = text.replace(/^\*{4}/, "");
  if (end !== "" && end.length <= maxSuffixLength)
    rows.push(...(await byPrefix(reads, ["keySuffixes"], buckets, [...end].reverse().join(""))));
  return unique(rows).map(({ id, name, bucket, consumer }) => ({
    type: "key",
    id,
    name: `****${name}`,
    path: `/v1/accounts/${account.name}/key-buckets/${bucket}/consumers/${encodeURIComponent(consumer ?? "")}/keys/${id}`,
  }));
}

/** By host (case-insensitive) and by id. */
async function findDomains(reads: Reads, { account }: SearchScope, text: string): Promise<SearchMatch[]> {
  const byHost = await store.domainsByPrefix(reads, account.seq, "host", prefixRange(text.toLowerCase()), maxResults);
  const byId = await store.domainsByPrefix(reads, account.seq, "id", prefixRange(text), maxResults);
  const rows = [...new Map([...byHost, ...byId].map((row) => [row.id, row])).values()];
  const path = `/v1/accounts/${account.name}/domains`;
  return rows.map(({ id, host }) => ({ type: "domain", id, name: host, path: `${path}/${id}` }));
}

async function byPrefix(
  reads: Reads,
  names: store.SearchName[],
  buckets: store.SearchPlaceRow[],
  text: string,
): Promise<store.FoundRow[]> {
  const range = prefixRange(text);
  const rows: store.FoundRow[] = [];
  for (const name of names) {
    const found = await store.findByPrefix(reads, name, buckets, range, maxResults);
    rows.push(...found.sort((one, other) => compare(one.matched, other.matched)));
  }
  return unique(rows).slice(0, maxResults);
}

/** An exact match is the shortest text with the prefix, so it is first. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** If a resource was found twice, the first is kept. */
function unique(rows: store.FoundRow[]): store.FoundRow[] {
  const first = new Map<string, store.FoundRow>();
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row);
  return [...first.values()];
}
