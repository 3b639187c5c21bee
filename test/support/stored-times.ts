import type { Database, Engine } from "./engines.ts";
import { tableContent, tableNames } from "./table-content.ts";

/** Columns with the server's time, by table. The clock of a test bucket never appears in them. */
export const serverTimes: Record<string, string> = {
  accounts: "created_on updated_on",
  acme_accounts: "created_on",
  acme_challenges: "created_on",
  api_keys: "created_on expires_on last_used_on updated_on",
  audit_chains: "oldest_on sealed_on",
  audit_keys: "created_on",
  audit_segments: "earliest latest sealed_on",
  billing_profiles: "created_on updated_on",
  canary_counts: "second",
  certificates: "due_on issued_on lease_ends_on",
  changes: "at",
  configuration_plans: "applied_on created_on expires_on",
  consumers: "created_on updated_on",
  credit_packs: "created_on updated_on",
  deployment_builds: "created_on updated_on upload_until worker_until",
  deployment_canaries: "ended_on started_on updated_on",
  deployment_logs: "time",
  deployment_sources: "created_on",
  deployment_versions: "created_on",
  deployments: "created_on updated_on",
  domains: "checked_on created_on expires_on next_check_on updated_on",
  encryption_keys: "created_on",
  exports: "attempt_on backfill_from created_on first_hour leased_until next_hour updated_on written_on",
  idempotency_keys: "created_on",
  invoices: "recorded_on",
  jobs: "created_on updated_on worker_until",
  key_buckets: "created_on updated_on",
  mails: "created_on due_on ended_on expires_on",
  manager_invites: "created_on expires_on",
  managers: "created_on",
  members: "created_on expires_on updated_on",
  metering_buckets: "created_on recurring_on updated_on",
  metering_holds: "created_on expires_on",
  migrations: "applied_on",
  model_usage: "time",
  model_usage_consumers: "time",
  oauth_authorizations: "code_expires_on code_used_on created_on expires_on refreshed_on",
  oauth_clients: "created_on expires_on updated_on",
  oauth_keys: "created_on expires_on signs_from",
  omitted_requests: "minute",
  payment_providers: "created_on updated_on",
  people: "created_on signed_in_on updated_on",
  plans: "created_on updated_on",
  portal_access_requests: "created_on updated_on",
  portal_deleted_keys: "key_created_on",
  portal_former_customers: "expires_on left_on",
  portal_handoffs: "expires_on",
  portal_invite_mails: "created_on expires_on",
  portal_proofs: "expires_on",
  portal_sessions: "created_on expires_on",
  portal_sign_ups: "created_on",
  simulations: "created_on",
  portals: "created_on updated_on",
  project_variables: "created_on updated_on",
  rate_limits: "ends_on window_start",
  removed_members: "removed_on",
  requests: "time",
  sessions: "created_on expires_on last_used_on",
  sign_ins: "created_on expires_on used_on",
  stripe_customers: "began_on lease_until sync_on sync_until",
  stripe_events: "received_on",
  stripe_invoices: "began_on created_on lease_until next_on updated_on void_on",
  tokens: "created_on expires_on last_used_on",
  traffic: "time",
  trusted_issuers: "created_on updated_on",
  usage_events: "received_on",
  usage_ranking_blocks: "ranked_on",
  usage_rankings: "lease_until next_on previous_ranked_on ranked_on",
  verifications: "time",
  views: "created_on updated_on",
  webhook_attempts: "started_on",
  webhook_deliveries: "created_on due_on finished_on",
  webhook_messages: "created_on",
  webhook_timers: "reached_time",
  webhooks: "created_on next_due_on previous_until updated_on",
  written_batches: "written_on",
};

/** Those of tables that only PostgreSQL has. */
export const postgresTimes: Record<string, string> = {
  usage_event_keys: "received_on",
};

/** Columns with the time of a bucket: what is billed, counted and due in it. */
export const bucketTimes: Record<string, string> = {
  billing_segments: "ends_on period_end period_start starts_on",
  checkouts: "expires_on",
  clock_moves: "test_clock",
  credit_uses: "period_start",
  customer_credits: "checks_on",
  customers: "created_on updated_on",
  grant_entries: "created_on hour",
  grants: "created_on effective_on ended_on expires_on updated_on voided_on",
  invoices: "created_on due_on failed_on finalized_on finalizes_on paid_on updated_on",
  metering_buckets: "test_clock",
  metering_holds: "period_start time",
  pack_purchases: "created_on expires_on paid_on reversed_on stopped_on updated_on",
  plan_history: "valid_until",
  quota_holds: "expires_on period_start used_on",
  removed_usage: "period_start",
  rollovers: "ended_on expires_on period_end period_start",
  segment_marks: "period_start time",
  simulation_customers: "limited_on",
  spend_periods: "period_start",
  subscription_history: "valid_until",
  subscriptions:
    "bills_on blocks_on created_on expires_on quota_reset_anchor renews_on trial_end_date trial_start_date updated_on",
  test_mails: "due_on",
  usage_counters: "period_start",
  usage_days: "period_start time",
  usage_events: "period_start time voided_on",
  usage_hours: "period_start time",
  usage_rankings: "bucket_clock",
};

const times =
  /(_on|_until|_start|_end|_from|_time|_date|_anchor|_clock|earliest|latest|^time|^at|^from|^until|hour|minute|second)$/;

/** The columns of the schema that contain a time by their type and name, as `table.column`. */
export async function timeColumns(engine: Engine, database: Database): Promise<string[]> {
  const found: string[] = [];
  for (const table of await tableNames(database)) {
    const columns =
      engine.name === "sqlite"
        ? `(SELECT name, type FROM pragma_table_info('${table}'))`
        : `(SELECT column_name AS name, data_type AS type FROM information_schema.columns
            WHERE table_name = '${table}' AND table_schema = 'public') AS columns`;
    for (const { name, type } of await tableContent(database, columns))
      if (/int/i.test(String(type)) && times.test(String(name))) found.push(`${table}.${name}`);
  }
  return found.sort();
}

/** The columns of a table of `serverTimes` or `bucketTimes`, as `table.column`. */
export function listedColumns(byTable: Record<string, string>): string[] {
  return Object.entries(byTable).flatMap(([table, columns]) =>
    columns.split(" ").map((column) => `${table}.${column}`),
  );
}
