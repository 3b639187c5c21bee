import { heapStats } from "bun:jsc";
import { KeyBucketDirectory } from "../../src/areas/api-keys/key-buckets/directory.ts";
import { KeyVerifier } from "../../src/areas/api-keys/keys/verification/verifier.ts";
import { openQuotaLedger } from "../../src/areas/commerce/metering/quotas/quota-source.ts";
import { UsageEvents } from "../../src/areas/commerce/metering/usage/events.ts";
import type { AccountReference } from "../../src/core/access.ts";
import { RateLimitWindows } from "../../src/counting/limits/windows.ts";
import { customerPlace } from "../../src/counting/quotas/customer-place.ts";
import type { Hold } from "../../src/counting/quotas/hold.ts";
import { amountOf } from "../../src/lib/amount.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { recordingStatements } from "../../test/support/counted-statements.ts";
import { meter } from "../metering.ts";
import { progress } from "../progress.ts";
import { atMost, limit, limitRow, type Row, type Target } from "../row.ts";
import { openBenchStorage } from "../storage.ts";
import type { Workspace } from "../workspace.ts";
import { activeCustomers, createWorld, customerName, eventsOf } from "../world.ts";

type EngineName = "SQLite" | "PostgreSQL";
const batches = [200, 2_000];
const rounds = 5;
const loadedAtOnce = 50;
const one = new Map([[meter, amountOf(1)!]]);
const most = (value: number, unit: Target["unit"]): Target => ({ comparison: "<=", value, unit });

/** What the server does for thousands of customers at once, inside this process: its time, statements and memory. */
export async function worldSets(workspace: Workspace): Promise<Row[]> {
  return [...(await setsOn(workspace, "SQLite")), ...(await setsOn(workspace, "PostgreSQL"))];
}

export async function setsOn(workspace: Workspace, engine: EngineName): Promise<Row[]> {
  const world = await createWorld(workspace.newDirectory(`sets-${engine}`), engine);
  const opened = await openBenchStorage(world.dataDirectory, { databaseUrl: world.environment.DATABASE_URL });
  const { storage, statements } = recordingStatements(opened);
  const words = (what: string, explanation: string) => ({
    what: `world: ${what}, ${engine}`,
    against: limit,
    explanation: `${explanation} 10,000 customers, ${activeCustomers.toLocaleString("en")} active, 40 plans.`,
  });
  const account = (await opened.reads.one<AccountReference>("SELECT id, name, seq FROM accounts WHERE name = ?", [
    "default",
  ]))!;
  const act = { account, actor: "system", now: Date.now() } as const;
  const rows: Row[] = [];

  const events = new UsageEvents(storage);
  const ingest = async (size: number, name: string) => {
    const customers = Array.from({ length: size }, (_, index) => index);
    const items = JSON.parse(eventsOf(world.meteringId, customers, name).body!);
    statements.length = 0;
    const { accepted } = await events.ingest({ act, bucketId: world.meteringId, items });
    if (accepted !== size) throw new Error(`${accepted} of ${size} events were accepted`);
    return statements.length;
  };
  await ingest(batches[0]!, "first");
  for (const size of batches) {
    const counted = [await ingest(size, `batch-${size}`)];
    const text = `statements of a batch of events of ${size.toLocaleString("en")} customers`;
    // On SQLite a statement has few rows, and costs no round trip.
    if (engine === "PostgreSQL")
      rows.push(limitRow(words(text, "Their number depends on tables, not on customers."), most(40, ""), counted));
  }

  const verifier = new KeyVerifier(
    storage,
    new KeyBucketDirectory(storage),
    64 * 1024 * 1024,
    new RateLimitWindows(storage),
  );
  const ledger = openQuotaLedger(storage, systemClock);
  const bench = verifier.buckets.place(account.seq, "bench");
  const call = async (customer: number) => {
    const { identity } = await verifier.verify(bench, world.keys[customer]!, Date.now());
    if (!identity) throw new Error("a key of the world is not valid");
    const place = customerPlace(account.seq, world.meteringId, customerName(customer));
    const quota = await ledger.find(place, Date.now());
    (quota.hold(one) as Hold).settle();
  };
  const callAll = async (from: number, to: number) => {
    for (let first = from; first < to; first += loadedAtOnce)
      await Promise.all(Array.from({ length: Math.min(loadedAtOnce, to - first) }, (_, index) => call(first + index)));
  };
  // Code that is compiled and plans that are read once do not count.
  const warm = 500;
  await callAll(0, warm);
  await ledger.flush();
  const before = heapBytes();
  statements.length = 0;
  await callAll(warm, activeCustomers);
  const loads = statements.length / (activeCustomers - warm);
  await ledger.flush();
  const bytes = (heapBytes() - before) / (activeCustomers - warm);
  rows.push(
    limitRow(
      words(
        "statements of the first request of a customer",
        `For a key and a quota, ${loadedAtOnce} customers at once.`,
      ),
      atMost(1.5),
      [loads],
    ),
    limitRow(
      words("memory of an active customer", "A key and a quota with three meters, in bytes of the heap."),
      most(4_000, "B"),
      [bytes],
    ),
  );

  const milliseconds: number[] = [];
  const perCustomer: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await callAll(0, activeCustomers);
    statements.length = 0;
    const startedAt = performance.now();
    await ledger.flush();
    milliseconds.push(performance.now() - startedAt);
    perCustomer.push(statements.length / activeCustomers);
    progress(`world, ${engine}: a flush in ${Math.round(milliseconds.at(-1)!)} ms`);
  }
  rows.push(
    limitRow(words("flush of the usage of all active customers", "One counter each."), most(500, "ms"), milliseconds),
    limitRow(words("statements of a flush for a customer", "The same flush."), atMost(0.3), perCustomer),
  );
  await opened.close();
  return rows;
}

function heapBytes(): number {
  Bun.gc(true);
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}
