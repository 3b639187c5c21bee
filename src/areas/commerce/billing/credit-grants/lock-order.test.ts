import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { billed, invoicesOf, moveTo, rated, setProfile, use } from "../../../../../test/support/billing.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { postgres } from "../../../../../test/support/engines.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { until } from "../../../../../test/support/until.ts";

const start = "2031-01-01T00:00:00.000Z";
const later = "2031-03-01T00:00:00.000Z";

let connection: SQL;
// Before the server, which drops the database.
afterAll(() => connection.close());
const server = useServer(postgres);
const { client } = server;

beforeAll(async () => {
  await setProfile(client);
  connection = new SQL(server.database.environment.DATABASE_URL!, { max: 2 });
});

const money = { currency: "EUR", amount: "1.00", funding: "paid" };

/** A subscription with an open invoice, a draft that waits, and usage. Its customer has no credits yet. */
async function scene() {
  const base = await billed(client, start, rated("0.10", { amount: "30.00" }));
  const other = await createPlan(client, base.bucket, rated("0.10", { amount: "90.00" }));
  const customer = `${base.bucket}/customers/acme`;
  await use(client, base.bucket, 230);
  await moveTo(client, base.bucket, "2031-02-01T00:30:00.000Z");
  const [open, draft] = await invoicesOf(client, base.bucket);
  return { ...base, other, customer, open: `${base.bucket}/invoices/${open.id}`, draft: draft.id };
}

type Scene = Awaited<ReturnType<typeof scene>>;

test.each<[name: string, operation: (scene: Scene) => Promise<ClientResponse>]>([
  ["a renewal", ({ bucket }) => client.post(`${bucket}/clock`, { now: later })],
  [
    "a subscription",
    ({ bucket, plan }) => subscribe(client, bucket, [plan]).then((body) => ({ ...body, status: 200 })),
  ],
  ["PATCH subscription", ({ path }) => client.patch(path, { status: "inactive" })],
  ["DELETE subscription", ({ path }) => client.delete(path)],
  ["$change", ({ path, other }) => client.post(`${path}/$change`, { planExternalIds: [other.planExternalId] })],
  ["$cancel", ({ path }) => client.post(`${path}/$cancel`, { timing: "now", refund: true })],
  ["$finalize", ({ bucket, draft }) => client.post(`${bucket}/invoices/${draft}/$finalize`)],
  ["$collect", ({ open }) => client.post(`${open}/$collect`)],
  ["$mark-paid", ({ open }) => client.post(`${open}/$mark-paid`, {})],
  ["$mark-uncollectible", ({ open }) => client.post(`${open}/$mark-uncollectible`)],
  ["$void", ({ open }) => client.post(`${open}/$void`)],
  ["$credit", ({ open }) => client.post(`${open}/$credit`, { lines: [{ description: "Sorry", amount: "1.00" }] })],
  ["the first grant", ({ customer }) => client.post(`${customer}/grants`, money)],
  ["a cap", ({ customer }) => client.patch(customer, { spendCap: { amount: "9.00", action: "block" } })],
  [
    "a payment method",
    ({ customer }) =>
      client.raw("PUT", `${customer}/payment-method`, JSON.stringify({ type: "sandbox", behavior: "fails" })),
  ],
])("%s locks the billing of its customer before any row", async (_name, operation) => {
  const arranged = await scene();
  const id = arranged.bucket.split("/").at(-1)!;
  const [bucket] = await connection.unsafe("SELECT seq FROM metering_buckets WHERE id = $1", [id]);
  const holder = await connection.reserve();
  await holder.unsafe("BEGIN");
  const lock = `credits ${bucket.seq} acme`;
  await holder.unsafe("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [lock]);
  const result = operation(arranged);
  try {
    const { pid } = await until(
      async () => {
        const waiting = "(classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0) AND NOT granted";
        return (
          await connection.unsafe(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND ${waiting}`, [lock])
        )[0];
      },
      { withinMs: 20_000, what: "the lock" },
    );
    // Row locks are not listed, but a transaction that has some of a table has one of these modes.
    const locked = await connection.unsafe(
      `SELECT DISTINCT relation::regclass::text AS name FROM pg_locks
       WHERE pid = $1 AND mode IN ('RowShareLock', 'RowExclusiveLock')
       AND relation IN ('subscriptions'::regclass, 'invoices'::regclass, 'customers'::regclass, 'grants'::regclass)`,
      [pid],
    );
    expect(locked.map(({ name }: { name: string }) => name)).toEqual([]);
  } finally {
    await holder.unsafe("ROLLBACK");
    holder.release();
  }
  expect([200, 204]).toContain((await result).status);
});
