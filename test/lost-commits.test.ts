import { expect, test } from "bun:test";
import { openQuotaLedger } from "../src/areas/commerce/metering/quotas/quota-source.ts";
import { Quotas } from "../src/areas/commerce/metering/quotas/quotas.ts";
import { RateLimitWindows } from "../src/counting/limits/windows.ts";
import { customerPlace } from "../src/counting/quotas/customer-place.ts";
import type { Hold } from "../src/counting/quotas/hold.ts";
import { amountOf } from "../src/lib/amount.ts";
import { StorageUnavailable } from "../src/platform/storage/errors.ts";
import { subscribed, usageEvent, usedOf } from "./support/metering.ts";
import { MeteringAccount } from "./support/metering-rules.ts";
import { proxiedPostgres } from "./support/postgres-proxy.ts";
import { useServer } from "./support/server.ts";
import { useStorage } from "./support/storage.ts";

const engine = proxiedPostgres();
const storage = useStorage(engine);
const behindServer = proxiedPostgres();
const { client } = useServer(behindServer);

test("the quota ledger counts once when the response to COMMIT is lost", async () => {
  const ledger = openQuotaLedger(storage.open, storage.clock);
  const account = await MeteringAccount.create(storage.open, storage.clock);
  const subscription = await account.subscribe(await account.plan({ requests: { max: 100 } }), "acme");
  const place = customerPlace(account.account.seq, account.bucket.id, "acme");
  const amounts = new Map([["requests", amountOf(1)!]]);
  const spend = async (count: number) => {
    const quota = await ledger.find(place, storage.clock.now());
    for (let each = 0; each < count; each++) (quota.hold(amounts) as Hold).settle();
  };
  await spend(3);
  engine.proxy.loseNextCommit();
  await ledger.flush();
  expect(engine.proxy.lostResponses).toBe(1);
  expect(ledger.unwritten).toBe(1);
  await spend(4);
  await ledger.flush();
  expect(ledger.unwritten).toBe(0);
  expect(await account.used(subscription)).toEqual({ requests: 7 });
  const quota = await ledger.find(place, storage.clock.now());
  await spend(93);
  expect(quota.hold(amounts)).toMatchObject({ used: amountOf(100)! });
});

test("amounts consumed by the API stay reserved until the commit is confirmed", async () => {
  const ledger = openQuotaLedger(storage.open, storage.clock);
  const quotas = new Quotas(storage.open, ledger);
  const account = await MeteringAccount.create(storage.open, storage.clock);
  const subscription = await account.subscribe(await account.plan({ requests: { max: 10 } }), "acme");
  const place = customerPlace(account.account.seq, account.bucket.id, "acme");
  const amounts = (count: number) => new Map([["requests", amountOf(count)!]]);
  const quota = await ledger.find(place, storage.clock.now());
  const hold = (count: number) => quota.hold(amounts(count));
  const consume = (count: number) =>
    quotas.consume({
      act: account.act,
      bucketId: account.bucket.id,
      subscriptionId: subscription.row.id,
      amounts: amounts(count),
    });
  engine.proxy.loseNextCommit();
  await expect(consume(6)).rejects.toBeInstanceOf(StorageUnavailable);
  expect(hold(5)).toMatchObject({ used: amountOf(6)! });
  // The next consume of the API reads storage, and counts the first once.
  expect(await consume(4)).toMatchObject({ allowed: true, meters: { requests: { used: 10, available: 0 } } });
  await ledger.flush();
  expect(ledger.unwritten).toBe(0);
  expect(hold(1)).toMatchObject({ used: amountOf(10)! });
  expect(await account.used(subscription)).toEqual({ requests: 10 });
});

test("rate limit counts are written once when the response to COMMIT is lost", async () => {
  const windows = new RateLimitWindows(storage.open);
  const now = storage.clock.now();
  const spend = (count: number) => {
    for (let each = 0; each < count; each++) windows.open("scope", 60, now).take("csmr_1", 10);
  };
  spend(3);
  const lost = engine.proxy.lostResponses;
  engine.proxy.loseNextCommit();
  await windows.flush(now);
  expect(engine.proxy.lostResponses).toBe(lost + 1);
  spend(4);
  await windows.flush(now);
  const row = await storage.open.reads.query.selectFrom("rate_limits").select("used").executeTakeFirstOrThrow();
  expect(row.used).toBe(7);
  expect(windows.open("scope", 60, now).take("csmr_1", 10)).toBe(2);
});

test("events count once when they are sent again after the response to COMMIT was lost", async () => {
  const { bucket, path } = await subscribed(client);
  let batches = 0;
  const { batch, first } = await withLostCommit(async () => {
    batches += 1;
    const batch = [usageEvent({ requests: 1 }), usageEvent({ requests: 2 })];
    const first = await client.post(`${bucket}/events`, batch);
    return { batch, first, status: first.status };
  });
  expect([first.status, first.body.code]).toEqual([503, "storage_unavailable"]);
  expect((await client.post(`${bucket}/events`, batch)).body).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
  expect(await usedOf(client, path)).toEqual({ requests: 3 * batches });
});

test("a consume with an Idempotency-Key consumes once when it is sent again after the response to COMMIT was lost", async () => {
  const { path } = await subscribed(client);
  let keys = 0;
  const consume = () =>
    client.post(
      `${path}/quotas/consume`,
      { meters: { requests: 2 } },
      { "idempotency-key": `${path.slice(-20)}-${keys}` },
    );
  await withLostCommit(() => {
    keys += 1;
    return consume();
  });
  expect((await consume()).body).toMatchObject({ allowed: true, meters: { requests: { used: 2 * keys } } });
  expect(await usedOf(client, path)).toEqual({ requests: 2 * keys });
});

/** Repeats until the lost commit is the request's: the server makes its own commits meanwhile. */
async function withLostCommit<Result extends { status: number }>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; attempt < 100; attempt++) {
    behindServer.proxy.loseNextCommit();
    const result = await work();
    if (result.status === 503) return result;
  }
  throw new Error("The response to the COMMIT of the request was never lost.");
}
