import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CompiledQuery, createQueryId, type RootOperationNode } from "kysely";
import { eachEngine, postgres, sqlite } from "../../../../../test/support/engines.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { blockOf, keysPerBlock, periodMilliseconds, recordBlockUses } from "../key-use-store.ts";
import { grantsPermission } from "../permissions.ts";
import { insertKeys, type KeyRow } from "../store.ts";
import type { KeyFilter } from "./filter.ts";
import { type BucketKeys, countMatches, listFilteredKeys, matchingKeysAfter } from "./filter-store.ts";

const keyCount = 120;
const times = [1000, 2000, 3000, 4000];
const permissionSets = [[], ["orders:read"], ["orders:*"], ["orders:*", "orders:read", "*"], ["stock:read"]];
const suffixes = ["0123abcd", "0000abcd", "ffff0000"];
/** Counted lists are named by tags as JSON, which the engines must format identically. */
const odd = { name: 'a "b"\\\n\t\u0001/\u007f é 😀', value: "%_'\u2028" };
const plans = ["gold", "free", "free", "free", "free"];

interface Made {
  /** A key with its last use, from wherever it is stored. */
  row: KeyRow;
  permissions: string[];
  plan: string;
}

/** A reference implementation of the filter. */
function fits({ row, permissions, plan }: Made, filter: KeyFilter): boolean {
  const { unusedSince, neverUsed, expiresBefore, createdBefore, enabled, permission, suffix, tags } = filter;
  const lastSign = row.last_used_on ?? row.created_on;
  return (
    (unusedSince === undefined || lastSign < unusedSince) &&
    (neverUsed === undefined || (row.last_used_on === null) === neverUsed) &&
    (expiresBefore === undefined || (row.expires_on !== null && row.expires_on < expiresBefore)) &&
    (createdBefore === undefined || row.created_on < createdBefore) &&
    (enabled === undefined || (row.is_enabled === 1) === enabled) &&
    (permission === undefined || permissions.some((granted) => grantsPermission(granted, permission))) &&
    (suffix === undefined || row.suffix.endsWith(suffix)) &&
    tags.every(({ name, value }) => name === "plan" && value === plan)
  );
}

/** For some keys, how long after the use in its row a key was last used. */
const laterBy = [2000, periodMilliseconds - 1000];
const anyTime = fc.constantFrom(
  500,
  ...times.map((time) => time + 1),
  9000,
  ...times.map((time) => time + periodMilliseconds + 1),
);
const anyFilter: fc.Arbitrary<KeyFilter> = fc.record(
  {
    unusedSince: anyTime,
    neverUsed: fc.boolean(),
    expiresBefore: anyTime,
    createdBefore: anyTime,
    enabled: fc.boolean(),
    permission: fc.constantFrom("orders:read", "orders:write", "stock:read", "none"),
    suffix: fc.constantFrom("abcd", "0", "0123abcd", "none"),
    tags: fc.constantFrom<KeyFilter["tags"]>(
      [],
      [{ name: "plan", value: "gold" }],
      [{ name: "plan", value: "free" }],
      [{ name: "plan", value: "none" }],
    ),
  },
  { requiredKeys: ["tags"] },
);

const singleFilters: Record<string, Partial<KeyFilter>> = {
  nothing: {},
  unusedSince: { unusedSince: 3500 },
  "unusedSince, a period later": { unusedSince: 3500 + periodMilliseconds },
  neverUsed: { neverUsed: true },
  "neverUsed false": { neverUsed: false },
  expiresBefore: { expiresBefore: 3500 },
  createdBefore: { createdBefore: 3500 },
  enabled: { enabled: true },
  "enabled false": { enabled: false },
  permission: { permission: "orders:read" },
  suffix: { suffix: "abcd" },
  tag: { tags: [{ name: "plan", value: "free" }] },
  "several conditions": { enabled: true, createdBefore: 3500, tags: [{ name: "plan", value: "free" }] },
};

eachEngine((engine) => {
  const storage = useStorage(engine);
  const bucket = { seq: 0, id: "bckt_mine" };
  let made: Made[];

  /** The same number of keys in another bucket, which must never be found. */
  async function fill(id: string): Promise<{ seq: number; made: Made[] }> {
    return storage.open.write(async (transaction) => {
      const times5 = [null, ...times];
      const account_seq = await transaction.insert("accounts", {
        id: `acct_${id}`,
        name: id,
        version: 1,
        created_on: 1,
        updated_on: 1,
      });
      const seq = await transaction.insert("key_buckets", {
        id,
        account_seq,
        name: "main",
        description: null,
        tags: null,
        is_retrievable: 0,
        key_prefix: "tg",
        version: 1,
        created_on: 1,
        updated_on: 1,
      });
      const consumers: { seq: number; plan: string }[] = [];
      for (let index = 0; index < keyCount; index++) {
        const plan = plans[index % plans.length]!;
        const consumer_seq = await transaction.insert("consumers", {
          id: `csmr_${index}`,
          bucket_seq: seq,
          name: `consumer-${index}`,
          description: null,
          tags: JSON.stringify({ plan }),
          metadata: null,
          version: 1,
          created_on: 1,
          updated_on: 1,
        });
        const tags = [{ name: "plan", value: plan }, odd];
        await transaction.insertAll(
          "consumer_tags",
          tags.map((tag) => ({ ...tag, bucket_seq: seq, consumer_seq })),
        );
        consumers.push({ seq: consumer_seq, plan });
      }
      const made: Made[] = [];
      for (let index = 0; index < keyCount; index++) {
        // Ascending, with an occasional step back to older consumers.
        const { seq: consumer_seq, plan } = consumers[(7 * index) % keyCount]!;
        const permissions = permissionSets[(index % 7) % permissionSets.length]!;
        const holder = { seq: consumer_seq, tags: JSON.stringify({ plan, [odd.name]: odd.value }) };
        const [row] = await insertKeys(transaction, { seq, id }, holder, [
          {
            // Far apart, and between those of the other bucket, so that a list has many blocks.
            ...{ seq: 1500 * index + seq },
            id: `key_${index}`,
            bucket_seq: seq,
            consumer_seq,
            hash: Buffer.from(`hash of ${index}`),
            suffix: suffixes[index % suffixes.length]!,
            sealed: null,
            description: null,
            expires_on: times5[index % 5] ?? null,
            is_enabled: index % 6 === 0 ? 0 : 1,
            permissions: permissions.length === 0 ? null : JSON.stringify(permissions),
            allowed_ips: null,
            rate_limit: null,
            leak: null,
            metadata: null,
            last_used_on: times5[index % 3] ?? null,
            version: 1,
            created_on: times[index % 4]!,
            updated_on: 1,
          },
        ]);
        made.push({ row: await usedLater(transaction, row!, index), permissions, plan });
      }
      return { seq, made };
    });
  }

  /** A quarter of the used keys have a later use in a block. */
  async function usedLater(transaction: WriteTransaction, row: KeyRow, index: number): Promise<KeyRow> {
    if (index % 4 !== 1) return row;
    // The block of an unused key may contain the use of a deleted one.
    const usedOn = (row.last_used_on ?? 0) + laterBy[(index >> 2) % 2]!;
    const blockTimes = new Uint32Array(keysPerBlock);
    blockTimes[row.seq % keysPerBlock] = usedOn / 1000;
    await recordBlockUses(transaction, [{ block: blockOf(row.seq), times: blockTimes }]);
    return row.last_used_on === null ? row : { ...row, last_used_on: usedOn };
  }

  beforeAll(async () => {
    const mine = await fill(bucket.id);
    bucket.seq = mine.seq;
    made = mine.made;
    await fill("bckt_other");
  });

  // The threshold decides whether the index of a condition is used, or the order of keys.
  test("every filter finds the matching keys in order, whichever index is used", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFilter,
        fc.constantFrom(0, 10, 30, 1000),
        fc.nat(60),
        fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(200, 1000)),
        async (filter, few, offset, limit) => {
          const expected = made.filter((key) => fits(key, filter)).map(({ row }) => row.id);
          const { reads } = storage.open;
          const { data, total } = await listFilteredKeys(reads, bucket, filter, { limit, offset }, few);
          expect(total).toBe(expected.length);
          expect(data.map(({ id }) => id)).toEqual(expected.slice(offset, offset + limit));
          for (const { id, last_used_on } of data)
            expect(last_used_on).toBe(made.find(({ row }) => row.id === id)!.row.last_used_on);
          expect(await countMatches(reads, bucket, filter, few)).toBe(expected.length);
        },
      ),
      { numRuns: 100 },
    );
  });

  // SQLite plans without statistics, so the plan for few rows is that for a million.
  if (engine === sqlite)
    for (const [name, filter] of Object.entries(singleFilters))
      test(`a list by ${name} reads indexes only`, async () => {
        const { reads } = storage.open;
        for (const { sql, parameters } of await queriesOf(reads, bucket, filter, [0, 1000])) {
          const plan = await reads.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
          const details = plan.map(({ detail }) => detail);
          expect(details.filter((detail) => /^SCAN (?!found|lead|every|part|\(|.*subquery)/i.test(detail))).toEqual([]);
        }
      });

  test("a walk visits each match once, whichever index is used, without keys that were created later", async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.constantFrom(0, 10, 1000), anyTime, async (filter, few, madeUntil) => {
        const expected = made.filter((key) => fits(key, filter) && key.row.created_on <= madeUntil);
        const met: string[] = [];
        for (let after = 0; ; ) {
          const range = { after, limit: 7, madeUntil, few };
          const rows = await storage.open.write((transaction) => matchingKeysAfter(transaction, bucket, filter, range));
          met.push(...rows.map(({ id }) => id));
          if (rows.length < 7) break;
          after = rows.at(-1)!.seq;
        }
        expect(met).toEqual(expected.map(({ row }) => row.id));
      }),
      { numRuns: 60 },
    );
  });
});

/** Returns the statements of a list, by default of two keys, for a rare and for a common condition. */
async function queriesOf(
  reads: Reads,
  bucket: BucketKeys,
  filter: Partial<KeyFilter>,
  fews: number[],
  paging = { limit: 2, offset: 1 },
): Promise<{ sql: string; parameters: unknown[] }[]> {
  const nodes: RootOperationNode[] = [];
  const query = reads.query.withPlugin({
    transformQuery: ({ node }) => {
      nodes.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  for (const few of fews) {
    const { data } = await listFilteredKeys({ ...reads, query }, bucket, { tags: [], ...filter }, paging, few);
    expect(data.length).toBe(paging.limit);
  }
  return nodes.map((node) => {
    const { sql, parameters } = query.getExecutor().compileQuery(node, createQueryId());
    return { sql, parameters: [...parameters] };
  });
}

describe("on PostgreSQL with 20,000 keys", () => {
  const storage = useStorage(postgres);
  const bucket = { seq: 1, id: "bckt_large" };
  // The numbers of keys are ten apart, otherwise one range would contain most of them.
  const rows = "generate_series(1, 20000) AS n";
  const statements = [
    "INSERT INTO accounts (seq, id, name, version, created_on, updated_on) VALUES (100, 'acct_large', 'large', 1, 1, 1)",
    `INSERT INTO key_buckets (seq, id, account_seq, name, is_retrievable, key_prefix, version, created_on, updated_on)
      VALUES (1, 'bckt_large', 100, 'large', 0, 'tg', 1, 1, 1)`,
    `INSERT INTO consumers (seq, id, bucket_seq, name, version, created_on, updated_on)
      SELECT n, 'csmr_' || n, 1, 'consumer-' || n, 1, n, n FROM ${rows}`,
    `INSERT INTO consumer_tags (bucket_seq, name, value, consumer_seq)
      SELECT 1, 'plan', CASE WHEN n % 5 = 0 THEN 'gold' ELSE 'free' END, n FROM ${rows}`,
    `INSERT INTO api_keys (seq, id, bucket_seq, consumer_seq, hash, suffix, expires_on, version, created_on, updated_on,
        is_enabled, last_used_on)
      SELECT 10 * n, 'key_' || n, 1, n, sha256(n::text::bytea), substr(md5(n::text), 1, 4) || 'abcd', 4 * n, 1, n, 1, n % 2,
        CASE WHEN n % 3 > 0 THEN n END FROM ${rows}`,
    `INSERT INTO key_permissions (bucket_seq, permission, key_seq) SELECT 1, 'orders:read', 10 * n FROM ${rows} WHERE n % 2 = 0`,
    `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT 'bckt_large', list, 10 * n / 4096, 0, count(*) FROM ${rows},
        LATERAL unnest(ARRAY['keys', CASE WHEN n % 5 = 0 THEN 'keys ["plan","gold"]' ELSE 'keys ["plan","free"]' END,
          CASE WHEN n % 2 = 0 THEN 'keys disabled' END, CASE WHEN n % 2 = 0 THEN 'keys permission orders:read' END]) AS list
      WHERE list IS NOT NULL GROUP BY list, 10 * n / 4096`,
  ];

  beforeAll(async () => {
    for (const statement of statements) await storage.open.write((transaction) => transaction.run(statement, []));
    await storage.open.write((transaction) => transaction.run("ANALYZE", []));
  });

  // A count of most keys reads them all; all other statements have a limit or a range of keys.
  for (const [name, filter] of Object.entries(singleFilters))
    test(`a list by ${name} reads no more than its limits and ranges`, async () => {
      const { reads } = storage.open;
      const bounded = (await queriesOf(reads, bucket, filter, [0, 1000])).filter(({ sql }) =>
        /limit|seq < /i.test(sql),
      );
      expect(bounded.length).toBeGreaterThan(0);
      for (const { sql, parameters } of bounded) {
        const lines = await planOf(sql, parameters);
        // If a check of each key becomes a join, it would read the rows of a million other keys.
        const scans = /Seq Scan on (api_keys|consumers|consumer_tags|key_permissions)|(Hash|Merge) .*Join/;
        const others = /EXISTS/.test(sql) ? new RegExp(`${scans.source}|Nested Loop`) : scans;
        expect({ sql, lines: lines.filter((line) => others.test(line)) }).toEqual({ sql, lines: [] });
      }
    });

  test("a deep page by tag reads the tagged consumers of a window once", async () => {
    const filter = { tags: [{ name: "plan", value: "free" }] };
    const queries = await queriesOf(storage.open.reads, bucket, filter, [0], { limit: 100, offset: 12_000 });
    const [page, ...more] = queries.filter(({ sql }) => /CASE/.test(sql));
    expect(more).toEqual([]);
    const lines = await planOf(page!.sql, page!.parameters);
    expect(lines.filter((line) => /hashed SubPlan/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => /Seq Scan|Join|Nested Loop/.test(line))).toEqual([]);
  });

  async function planOf(sql: string, parameters: unknown[]): Promise<string[]> {
    const plan = await storage.open.reads.query.executeQuery<{ "QUERY PLAN": string }>(
      CompiledQuery.raw(`EXPLAIN ${sql}`, parameters),
    );
    return plan.rows.map((row) => row["QUERY PLAN"]);
  }
});
