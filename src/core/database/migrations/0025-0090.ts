import type { Migration } from "../../../platform/storage/migrations/migration.ts";

const lastSegment = (column: string) => `(SELECT ${column} FROM audit_segments AS last
  WHERE last.account_seq = audit_chains.account_seq ORDER BY last.number DESC LIMIT 1)`;
const lastNumber = lastSegment("last.number + last.count - 1");

export const migrations0025: Migration[] = [
  /**
   * Messages of a deleted account are removed in batches. A foreign key to the account would remove them all in one
   * transaction. SQLite drops a foreign key by copying the table and the tables that reference it.
   */
  {
    name: "0025-webhook-removal",
    statements: ({ seq, sortedText, integer, bytes, withoutRowid }) => [
      `CREATE TABLE webhook_removals (account_seq ${integer} PRIMARY KEY)`,
      ...(bytes === "bytea"
        ? ["ALTER TABLE webhook_messages DROP CONSTRAINT webhook_messages_account_seq_fkey"]
        : [
            `CREATE TABLE new_messages (
            seq ${seq},
            account_seq ${integer} NOT NULL,
            id text NOT NULL,
            type text NOT NULL,
            body text NOT NULL,
            created_on ${integer} NOT NULL,
            CONSTRAINT webhook_messages_account_seq_id_key UNIQUE (account_seq, id)
          )`,
            `CREATE TABLE new_deliveries (
            seq ${seq},
            id ${sortedText} NOT NULL,
            webhook_seq ${integer} NOT NULL REFERENCES webhooks ON DELETE CASCADE,
            message_seq ${integer} NOT NULL REFERENCES new_messages ON DELETE CASCADE,
            message_id text NOT NULL,
            type text NOT NULL,
            status text NOT NULL,
            attempts ${integer} NOT NULL,
            schedule_step ${integer} NOT NULL,
            due_on ${integer},
            lease text,
            created_on ${integer} NOT NULL,
            finished_on ${integer}
          )`,
            `CREATE TABLE new_attempts (
            delivery_seq ${integer} NOT NULL REFERENCES new_deliveries ON DELETE CASCADE,
            number ${integer} NOT NULL,
            started_on ${integer} NOT NULL,
            duration_ms ${integer} NOT NULL,
            status ${integer},
            error text,
            response text,
            PRIMARY KEY (delivery_seq, number)
          ) ${withoutRowid}`,
            ...["messages", "deliveries", "attempts"].map(
              (name) => `INSERT INTO new_${name} SELECT * FROM webhook_${name}`,
            ),
            // Numbers are not reused, even if the last rows were deleted.
            "DELETE FROM sqlite_sequence WHERE name IN ('new_messages', 'new_deliveries')",
            `INSERT INTO sqlite_sequence (name, seq) SELECT replace(name, 'webhook_', 'new_'), seq FROM sqlite_sequence
            WHERE name IN ('webhook_messages', 'webhook_deliveries')`,
            // Referencing tables first: dropping a table deletes its rows, which would cascade.
            ...["attempts", "deliveries", "messages"].map((name) => `DROP TABLE webhook_${name}`),
            ...["messages", "deliveries", "attempts"].map(
              (name) => `ALTER TABLE new_${name} RENAME TO webhook_${name}`,
            ),
            "CREATE INDEX webhook_messages_by_age ON webhook_messages (created_on)",
            "CREATE INDEX webhook_messages_of_account ON webhook_messages (account_seq, created_on)",
            "CREATE UNIQUE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_seq, id)",
            "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_seq, due_on) WHERE due_on IS NOT NULL",
            "CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_seq)",
          ]),
    ],
  },
  /** The counted lists of keys by permission and by their consumer's tags, named as in areas/keys/key-lists.ts. */
  {
    name: "0026-key-counts",
    statements: ({ json }) => [
      `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT key_buckets.id, 'keys permission ' || permission, key_seq / 4096, 0, COUNT(*)
      FROM key_permissions JOIN key_buckets ON key_buckets.seq = key_permissions.bucket_seq
      GROUP BY key_buckets.id, permission, key_seq / 4096`,
      `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT key_buckets.id, 'keys [' || ${json("consumer_tags.name")} || ',' || ${json("consumer_tags.value")} || ']',
        api_keys.seq / 4096, 0, COUNT(*)
      FROM consumer_tags JOIN key_buckets ON key_buckets.seq = consumer_tags.bucket_seq
        JOIN api_keys ON api_keys.consumer_seq = consumer_tags.consumer_seq
      GROUP BY key_buckets.id, consumer_tags.name, consumer_tags.value, api_keys.seq / 4096`,
    ],
  },
  /** Plans are searched by prefixes of their labels. */
  {
    name: "0027-plan-labels",
    statements: ({ sortBytewise }) => [
      ...sortBytewise("plans", ["label"]),
      "CREATE INDEX plans_by_label ON plans (bucket_seq, label)",
    ],
  },
  /** When keys were last used, many keys per row; see areas/keys/uses/use-store.ts. */
  {
    name: "0028-key-uses",
    statements: ({ integer, bytes }) => [
      `CREATE TABLE key_uses (
      block ${integer} PRIMARY KEY,
      times ${bytes} NOT NULL
    )`,
    ],
  },
  /** Domains are searched by prefixes of both columns. Such ranges require text that sorts byte by byte. */
  {
    name: "0029-sorted-domains",
    statements: ({ sortBytewise }) => sortBytewise("domains", ["id", "host"]),
  },
  /** Changes that were committed together in one row, see platform/storage/feed/change-pack.ts. */
  {
    name: "0030-packed-changes",
    statements: ({ bytes, integer }) => [
      // Before the pack: columns after a long value are slow to access.
      `ALTER TABLE changes ADD COLUMN count ${integer} NOT NULL DEFAULT 1`,
      `ALTER TABLE changes ADD COLUMN pack ${bytes}`,
    ],
  },
  /**
   * Moves the end of a chain to its last segment. Trimming could overwrite a concurrent seal, and from then on no entry
   * of any account could be sealed.
   */
  {
    name: "0033-audit-ends",
    statements: ({ bytes }) => {
      const lastHash =
        bytes === "bytea"
          ? "encode(substring(last.hashes FROM octet_length(last.hashes) - 31), 'hex')"
          : "lower(hex(substr(last.hashes, -32)))";
      return [
        `UPDATE audit_chains SET hash = ${lastSegment(lastHash)}, count = ${lastNumber},
        oldest_on = coalesce(oldest_on,
          (SELECT min(latest) FROM audit_segments WHERE audit_segments.account_seq = audit_chains.account_seq))
        WHERE count < ${lastNumber}`,
      ];
    },
  },
  /** Live request streams read the counts of the last minutes of all deployments at once. */
  {
    name: "0038-omitted-by-minute",
    statements: () => ["CREATE INDEX omitted_requests_by_minute ON omitted_requests (minute)"],
  },
  /** Named filters of the console's lists. */
  {
    name: "0050-views",
    statements: ({ seq, integer }) => [
      `CREATE TABLE views (
      seq ${seq},
      id text NOT NULL CONSTRAINT views_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text NOT NULL,
      page text NOT NULL,
      search text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT views_account_seq_name_key UNIQUE (account_seq, name)
    )`,
    ],
  },
  /** Versions that are built without traffic, and canary releases with the counts of both versions. */
  {
    name: "0060-canaries",
    statements: ({ integer, bytes }) => [
      `ALTER TABLE deployment_builds ADD COLUMN is_staged ${integer} NOT NULL DEFAULT 0`,
      `ALTER TABLE deployment_versions ADD COLUMN is_staged ${integer} NOT NULL DEFAULT 0`,
      `CREATE TABLE deployment_canaries (
      deployment_seq ${integer} PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
      id text NOT NULL,
      version_seq ${integer} NOT NULL,
      version_number ${integer} NOT NULL,
      live_version_seq ${integer} NOT NULL,
      live_version_number ${integer} NOT NULL,
      weight ${integer} NOT NULL,
      live_weight ${integer} NOT NULL,
      sticky_by text,
      abort text,
      started_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      ended_on ${integer},
      outcome text
    )`,
      `CREATE TABLE canary_counts (
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      is_canary ${integer} NOT NULL,
      second ${integer} NOT NULL,
      requests ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      latency ${bytes},
      PRIMARY KEY (deployment_seq, is_canary, second)
    )`,
    ],
  },
  /** The amounts that each node holds from quotas, so that other nodes count them. */
  {
    name: "0065-quota-holds",
    statements: ({ integer }) => [
      `CREATE TABLE quota_holds (
      writer text NOT NULL,
      subscription_seq ${integer} NOT NULL,
      period_start ${integer} NOT NULL,
      meter text NOT NULL,
      amount text NOT NULL,
      expires_on ${integer} NOT NULL,
      PRIMARY KEY (writer, subscription_seq, period_start, meter)
    )`,
    ],
  },
  /** Several deployments on one custom domain, by path prefix. */
  {
    name: "0070-mounts",
    statements: () => ["ALTER TABLE domains ADD COLUMN mounts text"],
  },
  /** Calls of verify-key by minute, hour and day. */
  {
    name: "0075-verifications",
    statements: ({ integer, sortedText, withoutRowid }) => [
      // The bucket is the first column: the rows of a deleted bucket are one range.
      `CREATE TABLE verifications (
      bucket_seq ${integer} NOT NULL,
      step ${integer} NOT NULL,
      detail ${integer} NOT NULL,
      time ${integer} NOT NULL,
      consumer ${sortedText} NOT NULL,
      result ${sortedText} NOT NULL,
      amount ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, step, detail, time, consumer, result)
    ) ${withoutRowid}`,
    ],
  },
  /** A reader that is far behind finds its first unread change in the index alone. */
  {
    name: "0080-changes-by-transaction",
    statements: ({ changeNumbersByTransaction }) => changeNumbersByTransaction,
  },
  /** Portals of key buckets, hand-offs to them, and the sessions of customers. */
  {
    name: "0090-portals",
    statements: ({ seq, reusableSeq, integer, bytes }) => [
      `CREATE TABLE portals (
      seq ${seq},
      id text NOT NULL CONSTRAINT portals_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      bucket_seq ${integer} NOT NULL CONSTRAINT portals_bucket_seq_key UNIQUE REFERENCES key_buckets ON DELETE CASCADE,
      name text NOT NULL CONSTRAINT portals_name_key UNIQUE,
      host text,
      is_enabled ${integer} NOT NULL,
      settings text NOT NULL,
      logo ${bytes},
      logo_type text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portals_by_account ON portals (account_seq)",
      `CREATE TABLE portal_handoffs (
      seq ${reusableSeq},
      hash ${bytes} NOT NULL CONSTRAINT portal_handoffs_hash_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      subject text NOT NULL,
      scopes text NOT NULL,
      return_url text,
      viewer text,
      expires_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portal_handoffs_by_portal ON portal_handoffs (portal_seq)",
      "CREATE INDEX portal_handoffs_by_consumer ON portal_handoffs (consumer_seq)",
      "CREATE INDEX portal_handoffs_by_expiry ON portal_handoffs (expires_on)",
      `CREATE TABLE portal_sessions (
      seq ${reusableSeq},
      id text NOT NULL,
      hash ${bytes} NOT NULL CONSTRAINT portal_sessions_hash_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      subject text NOT NULL,
      scopes text NOT NULL,
      return_url text,
      viewer text,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portal_sessions_by_portal ON portal_sessions (portal_seq)",
      "CREATE INDEX portal_sessions_by_consumer ON portal_sessions (consumer_seq)",
      "CREATE INDEX portal_sessions_by_expiry ON portal_sessions (expires_on)",
    ],
  },
];
