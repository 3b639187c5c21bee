import { hashFromText } from "../../lib/crypto/secret-text.ts";
import type { Change } from "../../platform/storage/change.ts";
import type { RevokedRows } from "../../platform/storage/copy/copy-file.ts";
import type { CopyRows } from "../../platform/storage/copy/storage-copy.ts";
import type { TableName } from "../../platform/storage/tables.ts";

/** The maximum number of keys, those that were used last. */
const maxKeys = 50_000;
const maxAuthorizations = 20_000;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Small tables. */
const whole: TableName[] = [
  "accounts",
  "encryption_keys",
  "audit_keys",
  "key_buckets",
  "metering_buckets",
  "plans",
  "plan_history",
  "portals",
  "oauth_keys",
  "domains",
  "certificates",
  "acme_accounts",
  "project_variables",
  "deployments",
  "production_branches",
];
const ofSubscription: TableName[] = [
  "subscription_plans",
  "subscription_history",
  "usage_counters",
  "quota_holds",
  "billing_segments",
  "credit_uses",
  "spend_periods",
];
const ofCustomer: TableName[] = ["customers", "customer_credits", "grants"];
const serving = `SELECT active_version_seq FROM deployments WHERE active_version_seq IS NOT NULL
  UNION SELECT version_seq FROM deployment_canaries WHERE ended_on IS NULL`;
const usedKeys = `SELECT used.seq FROM key_buckets, LATERAL (SELECT seq FROM api_keys
  WHERE bucket_seq = key_buckets.seq AND last_used_on > ? ORDER BY last_used_on DESC LIMIT ${maxKeys}) AS used LIMIT ${maxKeys}`;

/** Copies what deployments and verify-key need: keys that were used in the last day, with what they belong to. */
export async function copyServedRows(copy: CopyRows, now: number): Promise<void> {
  for (const table of whole) await copy(table);
  await copy("tokens", "expires_on IS NULL OR expires_on > ?", [now]);
  await copy("deployment_canaries", "ended_on IS NULL");
  await copy("deployment_versions", `seq IN (${serving})`);
  await copy(
    "deployment_artifacts",
    `(deployment_seq, hash) IN (SELECT deployment_seq, artifact_hash FROM deployment_versions WHERE seq IN (${serving}))`,
  );
  await copy("rate_limits", "ends_on > ?", [now]);
  const keys = await copy("api_keys", `seq IN (${usedKeys})`, [now - dayMilliseconds], ["consumer_seq"]);
  const authorizations = await copy(
    "oauth_authorizations",
    `seq IN (SELECT seq FROM oauth_authorizations WHERE expires_on IS NULL OR expires_on > ? ORDER BY seq DESC LIMIT ${maxAuthorizations})`,
    [now],
    ["consumer_seq", "client_seq", "manager_seq"],
  );
  const distinct = (values: unknown[]) => [...new Set(values)].filter((value) => value !== null);
  await copy("oauth_clients", "seq = ANY (?)", [distinct(authorizations.map((each) => each.client_seq))]);
  await copy("managers", "seq = ANY (?)", [distinct(authorizations.map((each) => each.manager_seq))]);
  const holders = distinct([...keys, ...authorizations].map((each) => each.consumer_seq));
  const consumers = await copy("consumers", "seq = ANY (?)", [holders], ["id", "name"]);
  const customers = distinct(consumers.flatMap(({ id, name }) => [id, name]));
  const mine = "bucket_seq IN (SELECT seq FROM metering_buckets) AND customer_key = ANY (?)";
  const subscriptions = await copy("subscriptions", mine, [customers], ["seq"]);
  for (const table of ofCustomer) await copy(table, mine, [customers]);
  const seqs = subscriptions.map(({ seq }) => seq);
  for (const table of ofSubscription) await copy(table, "subscription_seq = ANY (?)", [seqs]);
}

/** Returns what must not be served from a copy that was made before the change. */
export function revokedBy(change: Change): RevokedRows[] {
  switch (change.kind) {
    case "key.updated":
    case "key.deleted":
    case "key.leaked":
      return [{ table: "api_keys", column: "hash", values: [hashFromText(change.data.hash)] }];
    case "keys.updated":
    case "keys.deleted":
      return [{ table: "api_keys", column: "hash", values: change.data.hashes.map(hashFromText) }];
    case "consumer.updated":
      // Only a suspension rejects its keys.
      return change.data?.isSuspended === false ? [] : [{ table: "consumers", column: "id", values: [change.subject] }];
    case "key.rolled":
    case "consumer.deleted":
      return [{ table: "consumers", column: "id", values: [change.subject] }];
    case "consumers.updated":
    case "consumers.deleted":
      return [{ table: "consumers", column: "id", values: change.data.consumerIds }];
    case "token.deleted":
      return [{ table: "tokens", column: "hash", values: [hashFromText(change.data.hash)] }];
    case "bucket.updated":
    case "bucket.deleted":
      return [{ table: "key_buckets", column: "id", values: [change.subject] }];
    case "account.deleted":
      return [{ table: "accounts", column: "name", values: [change.data.name] }];
    case "authorization.updated":
    case "authorization.ended":
      return [{ table: "oauth_authorizations", column: "id", values: [change.subject] }];
    // They end several authorizations, as in the directory of authorizations.
    case "manager.updated":
    case "manager.deleted":
    case "oauth-client.deleted":
    case "portal.updated":
    case "portal.deleted":
      return [{ table: "oauth_authorizations" }];
    case "oauth-key.deleted":
      return [{ table: "oauth_keys" }];
    default:
      return [];
  }
}
