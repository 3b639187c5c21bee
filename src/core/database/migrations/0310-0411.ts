import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import { idAtTimeInSql, idTimeInSql, timeTextInSql } from "../id-times.ts";

function versionsOfArtifact(isLimited: string): string {
  return `SELECT 1 FROM deployment_versions JOIN deployment_builds ON deployment_builds.id = deployment_versions.build_id
    WHERE deployment_versions.deployment_seq = deployment_artifacts.deployment_seq
      AND deployment_versions.artifact_hash = deployment_artifacts.hash AND deployment_builds.is_limited ${isLimited}`;
}

const hour = 60 * 60 * 1000;

/** The rows of a chain from this one to the end, and from the beginning to this one. */
const toTheEnd = "OVER (PARTITION BY account_seq ORDER BY number ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)";
const fromTheBeginning = "OVER (PARTITION BY account_seq ORDER BY number ROWS UNBOUNDED PRECEDING)";

function estimates(bytes: string): string {
  const segments = `SELECT audit_segments.account_seq, number, latest, audit_chains.sealed_on AS end_on,
      ${idTimeInSql("audt", "highest_id", { bytes })} AS id_time
    FROM audit_segments JOIN audit_chains ON audit_chains.account_seq = audit_segments.account_seq`;
  const judged = `SELECT account_seq, number, latest, end_on,
      CASE WHEN id_time <= end_on + 60000 AND id_time <= min(id_time) ${toTheEnd} THEN id_time END AS right_time
    FROM (${segments}) AS segments`;
  // The time of an entry may be that of a test bucket too, but not if it is between those of right ids.
  const candidates = `SELECT account_seq, number, end_on, coalesce(right_time,
      CASE WHEN latest >= coalesce(max(right_time) ${fromTheBeginning}, 0) THEN latest END) AS candidate
    FROM (${judged}) AS judged`;
  const lowest = `SELECT account_seq, number, end_on, min(candidate) ${toTheEnd} AS candidate
    FROM (${candidates}) AS candidates`;
  return `SELECT account_seq, number, CASE WHEN candidate < end_on THEN candidate ELSE end_on END AS estimate
    FROM (${lowest}) AS lowest`;
}

export const migrations0310: Migration[] = [
  /**
   * The issuers whose tokens may name consumers of a bucket, and which builds, sources and variables come from callers with
   * limited access. Earlier builds with a token for previews count as limited.
   */
  {
    name: "0310-limited-builds",
    statements: ({ integer }) => [
      "ALTER TABLE key_buckets ADD COLUMN token_issuers text",
      ...["deployment_builds", "deployment_sources", "project_variables"].map(
        (table) => `ALTER TABLE ${table} ADD COLUMN is_limited ${integer} NOT NULL DEFAULT 0`,
      ),
      "UPDATE deployment_builds SET is_limited = 1 WHERE is_preview_only = 1",
      `UPDATE deployment_sources SET is_limited = 1 WHERE seq IN (
      SELECT source_seq FROM deployment_builds WHERE is_limited = 1 AND source_seq IS NOT NULL
    )`,
      `UPDATE deployment_artifacts SET data = '{"isLimited":true,' || substr(data, 2)
      WHERE EXISTS (${versionsOfArtifact("= 1")}) AND NOT EXISTS (${versionsOfArtifact("= 0")})`,
    ],
  },
  /** What an account knows of an invited person: an id of its own, and the address as it was written in the invitation. */
  {
    name: "0312-invited-ids",
    statements: () => [
      "ALTER TABLE members ADD COLUMN invited_id text",
      "ALTER TABLE members ADD COLUMN invited_email text",
    ],
  },
  /** Who invited a person, and the accounts in which a session of a person has ended although it is valid in others. */
  {
    name: "0313-explicit-invitations",
    statements: () => [
      "ALTER TABLE members ADD COLUMN invited_by text",
      "ALTER TABLE sessions ADD COLUMN ended_in text",
    ],
  },
  /**
   * Earlier versions took the times of some ids and audit entries from the clocks of test buckets, and all later ids of
   * the process came after those.
   *
   * Requests get ids of their own time. Sealed entries cannot be changed: their segments get the time of sealing, which
   * retention uses, if it differs from the time of the entries. It is estimated from the ids, which are in the order of the
   * chain, except those that are ahead of a later one or of the last seal. Lists are ordered by number instead of by id.
   */
  {
    name: "0320-future-ids",
    statements: ({ bytes, integer }) => [
      `UPDATE requests SET id = ${idAtTimeInSql("req", "id", "time")}
      WHERE substr(id, 5, 8) > ${timeTextInSql(`time + ${hour}`)}`,
      `ALTER TABLE audit_segments ADD COLUMN sealed_on ${integer}`,
      `UPDATE audit_segments SET sealed_on = estimates.estimate FROM (${estimates(bytes)}) AS estimates
      WHERE estimates.account_seq = audit_segments.account_seq AND estimates.number = audit_segments.number
        AND abs(estimates.estimate - audit_segments.latest) > ${hour}`,
      `UPDATE audit_chains SET oldest_on = (SELECT coalesce(segments.sealed_on, latest) FROM audit_segments AS segments
        WHERE segments.account_seq = audit_chains.account_seq AND number > anchor ORDER BY number LIMIT 1)
      WHERE oldest_on IS NOT NULL`,
      "DROP INDEX audit_segments_by_id",
      "CREATE UNIQUE INDEX audit_segments_by_ids ON audit_segments (account_seq, highest_id, lowest_id)",
      `ALTER TABLE portal_deleted_keys ADD COLUMN key_created_on ${integer}`,
      // No key was created after the last seal, except in the last seconds.
      `UPDATE portal_deleted_keys SET key_created_on = ${idTimeInSql("key", "key_id", { bytes })}`,
      `UPDATE portal_deleted_keys SET key_created_on = (SELECT max(sealed_on) FROM audit_chains)
      WHERE key_created_on > (SELECT max(sealed_on) FROM audit_chains)`,
      "CREATE INDEX api_keys_of_consumer ON api_keys (consumer_seq, seq)",
      "CREATE INDEX webhook_deliveries_by_seq ON webhook_deliveries (webhook_seq, seq)",
    ],
  },
  /** The number of writes of a usage counter, by which caches recognize a total that arrives late. Totals may decrease. */
  {
    name: "0335-counter-versions",
    statements: ({ integer }) => [`ALTER TABLE usage_counters ADD COLUMN version ${integer} NOT NULL DEFAULT 0`],
  },
  /** Amounts that verify-key holds until they are settled or released. */
  {
    name: "0345-metering-holds",
    statements: ({ integer }) => [
      `CREATE TABLE metering_holds (
      id text PRIMARY KEY,
      bucket_seq ${integer} NOT NULL,
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions (seq) ON DELETE CASCADE,
      period_start ${integer} NOT NULL,
      time ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL,
      on_expiry text NOT NULL,
      state text NOT NULL,
      held text NOT NULL,
      counted text NOT NULL
    )`,
      "CREATE INDEX metering_holds_expiry ON metering_holds (expires_on)",
      "CREATE INDEX metering_holds_open ON metering_holds (expires_on) WHERE state = 'open'",
      "CREATE INDEX metering_holds_of_subscription ON metering_holds (subscription_seq)",
    ],
  },
  /** Requests to models by minute, hour and day. */
  {
    name: "0365-model-usage",
    statements: ({ integer, sortedText, withoutRowid }) => [
      // The deployment is the first column: the rows of a deleted one are one range.
      `CREATE TABLE model_usage (
      deployment_seq ${integer} NOT NULL,
      step ${integer} NOT NULL,
      time ${integer} NOT NULL,
      model ${sortedText} NOT NULL,
      provider ${sortedText} NOT NULL,
      currency ${sortedText} NOT NULL,
      requests ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      estimated ${integer} NOT NULL,
      input ${integer} NOT NULL,
      cached ${integer} NOT NULL,
      cache_write ${integer} NOT NULL,
      output ${integer} NOT NULL,
      cost ${integer} NOT NULL,
      charge ${integer} NOT NULL,
      first_bytes ${integer} NOT NULL,
      first_byte_ms ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, step, time, model, provider, currency)
    ) ${withoutRowid}`,
    ],
  },
  /** Portals as authorization servers: their signing keys, clients, and what customers have authorized. */
  {
    name: "0370-oauth",
    statements: ({ seq, bytes, integer }) => [
      `CREATE TABLE oauth_keys (
      seq ${seq},
      id text NOT NULL CONSTRAINT oauth_keys_id_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      public_key text NOT NULL,
      private_key ${bytes} NOT NULL,
      created_on ${integer} NOT NULL,
      signs_from ${integer} NOT NULL,
      expires_on ${integer}
    )`,
      "CREATE INDEX oauth_keys_of_portal ON oauth_keys (portal_seq)",
      "CREATE INDEX oauth_keys_by_expiry ON oauth_keys (expires_on)",
      `CREATE TABLE oauth_clients (
      seq ${seq},
      id text NOT NULL CONSTRAINT oauth_clients_id_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} REFERENCES consumers ON DELETE CASCADE,
      type text NOT NULL,
      document_url text,
      name text NOT NULL,
      redirect_uris text NOT NULL,
      secret_hash ${bytes},
      registered_from text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      expires_on ${integer},
      CONSTRAINT oauth_clients_document_key UNIQUE (portal_seq, document_url)
    )`,
      "CREATE INDEX oauth_clients_of_portal ON oauth_clients (portal_seq, type, created_on)",
      "CREATE INDEX oauth_clients_of_consumer ON oauth_clients (consumer_seq)",
      "CREATE INDEX oauth_clients_by_expiry ON oauth_clients (expires_on)",
      `CREATE TABLE oauth_authorizations (
      seq ${seq},
      id text NOT NULL CONSTRAINT oauth_authorizations_id_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      manager_seq ${integer} REFERENCES managers ON DELETE CASCADE,
      client_seq ${integer} NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
      subject text NOT NULL,
      granted text NOT NULL,
      rules text NOT NULL,
      deployment text,
      code_hash ${bytes} CONSTRAINT oauth_authorizations_code_hash_key UNIQUE,
      code_challenge text,
      redirect_uri text,
      code_expires_on ${integer},
      code_used_on ${integer},
      refresh_secret ${bytes},
      refresh_number ${integer} NOT NULL,
      refreshed_on ${integer},
      created_on ${integer} NOT NULL,
      expires_on ${integer}
    )`,
      "CREATE INDEX oauth_authorizations_of_portal ON oauth_authorizations (portal_seq)",
      "CREATE INDEX oauth_authorizations_of_consumer ON oauth_authorizations (consumer_seq)",
      "CREATE INDEX oauth_authorizations_of_manager ON oauth_authorizations (manager_seq)",
      "CREATE INDEX oauth_authorizations_of_client ON oauth_authorizations (client_seq)",
      "CREATE INDEX oauth_authorizations_by_expiry ON oauth_authorizations (expires_on)",
    ],
  },
  /** Destinations to which closed hours are written. */
  {
    name: "0380-exports",
    statements: ({ seq, bytes, integer }) => [
      `CREATE TABLE exports (
      seq ${seq},
      id text NOT NULL CONSTRAINT exports_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text NOT NULL,
      url text NOT NULL,
      endpoint text,
      region text,
      credential ${bytes},
      access_key_id text,
      kinds text NOT NULL,
      format text NOT NULL,
      is_enabled ${integer} NOT NULL,
      first_hour ${integer} NOT NULL,
      next_hour ${integer} NOT NULL,
      backfill_from ${integer},
      backfill_next ${integer},
      written_on ${integer},
      last_error text,
      failing_since ${integer},
      failures ${integer} NOT NULL,
      attempt_on ${integer},
      lease text,
      leased_until ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT exports_account_seq_name_key UNIQUE (account_seq, name)
    )`,
    ],
  },
  /** The estimated usage of open holds, which counts if their node is killed, and the time at which it counts. */
  {
    name: "0400-lost-usage",
    statements: ({ integer }) => [
      "ALTER TABLE quota_holds ADD COLUMN estimate text NOT NULL DEFAULT '0'",
      `ALTER TABLE quota_holds ADD COLUMN used_on ${integer} NOT NULL DEFAULT 0`,
    ],
  },
  /** Requests to models by consumer: more rows than `model_usage` has, and read only for consumers. */
  {
    name: "0401-model-consumers",
    statements: ({ integer, sortedText, withoutRowid }) => [
      `CREATE TABLE model_usage_consumers (
      deployment_seq ${integer} NOT NULL,
      step ${integer} NOT NULL,
      time ${integer} NOT NULL,
      consumer_id ${sortedText} NOT NULL,
      consumer ${sortedText} NOT NULL,
      model ${sortedText} NOT NULL,
      provider ${sortedText} NOT NULL,
      currency ${sortedText} NOT NULL,
      requests ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      estimated ${integer} NOT NULL,
      input ${integer} NOT NULL,
      cached ${integer} NOT NULL,
      cache_write ${integer} NOT NULL,
      output ${integer} NOT NULL,
      cost ${integer} NOT NULL,
      charge ${integer} NOT NULL,
      first_bytes ${integer} NOT NULL,
      first_byte_ms ${integer} NOT NULL,
      PRIMARY KEY (deployment_seq, step, time, consumer_id, consumer, model, provider, currency)
    ) ${withoutRowid}`,
    ],
  },
  /** Who consented, until the code of the authorization is exchanged. */
  {
    name: "0410-oauth-consents",
    statements: () => ["ALTER TABLE oauth_authorizations ADD COLUMN consent text"],
  },
  /** The page on which a sign-in by mail was started, which its link opens. */
  {
    name: "0411-sign-in-paths",
    statements: () => ["ALTER TABLE sign_ins ADD COLUMN path text"],
  },
];
