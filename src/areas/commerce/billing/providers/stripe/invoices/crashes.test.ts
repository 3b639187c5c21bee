import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { invoicesOf, monthly, ok, setProfile } from "../../../../../../../test/support/billing.ts";
import { type Database, eachEngine } from "../../../../../../../test/support/engines.ts";
import { FakeClock } from "../../../../../../../test/support/fake-clock.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../../../../test/support/metering.ts";
import { startServer } from "../../../../../../../test/support/server.ts";
import { encryptionKey } from "../../../../../../../test/support/server-settings.ts";
import { openStorageOf } from "../../../../../../../test/support/storage.ts";
import { liveProvider } from "../../../../../../../test/support/stripe/stripe-scene.ts";
import { type Fault, useStripe } from "../../../../../../../test/support/stripe/stripe-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../../../../../test/support/temporary-folder.ts";
import { Keyring } from "../../../../../../lib/crypto/keyring.ts";
import { Egress } from "../../../../../../platform/egress/egress.ts";
import type { Storage } from "../../../../../../platform/storage/storage.ts";
import { Log } from "../../../../../../platform/telemetry/log.ts";
import { StripeAccounts } from "../api.ts";
import { InvoiceSync } from "./invoice-sync.ts";

const minute = 60_000;
const hour = 60 * minute;

/** The process ends after a number of operations: before or after the last one took effect. */
interface Death {
  operations: number;
  isAfter: boolean;
  /** How long it takes until another process continues; idempotency keys expire after a day. */
  pauseHours: number;
}

const death: fc.Arbitrary<Death> = fc.record({
  operations: fc.integer({ min: 1, max: 14 }),
  isAfter: fc.boolean(),
  pauseHours: fc.constantFrom(1, 1, 25),
});

const fault = fc.constantFrom<Fault>(
  "none",
  "none",
  "lost-request",
  "lost-response",
  "late",
  "error",
  "error-after",
  "rate-limit",
  "conflict",
);

class Died extends Error {}

eachEngine((engine) => {
  const clock = new FakeClock();
  const stripe = useStripe(clock);
  let database: Database;
  let storage: Storage;
  let folder: TemporaryFolder;
  let ids: string[];
  /** Of invoices that are paid, and have a refund and a credit that are not made at Stripe yet. */
  let creditedIds: string[];
  // Both the property and the last test use them up.
  const runs = engine.name === "sqlite" ? 40 : 10;
  const creditedRuns = engine.name === "sqlite" ? 30 : 8;
  const nodesCount = 8;

  /** Invoices and credit notes that wait for their collection, created by a server that has stopped. */
  beforeAll(async () => {
    database = await engine.migratedDatabase();
    const server = await startServer(engine, { database, clock, environment: { TOLLGATE_STRIPE_URL: stripe.url } });
    const { client } = server;
    await setProfile(client);
    const settings = { type: "stripe", secretKey: "sk_live_1", webhookSecret: "whsec_1" };
    await ok(client.raw("PUT", liveProvider, JSON.stringify(settings)));
    const bucket = await newMeteringBucket(client);
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const newInvoices = async (prefix: string, count: number): Promise<string[]> => {
      const customers = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      for (const customerKey of customers) await subscribe(client, bucket, [plan], { customerKey });
      const query = `?customerKeys=${customers.join()}&limit=100`;
      return (await invoicesOf(client, bucket, query)).map(({ id }) => id);
    };
    creditedIds = await newInvoices("credited", creditedRuns + nodesCount);
    await server.catchUp();
    for (const id of creditedIds)
      for (const [to, amount] of [
        ["payment-method", "10.00"],
        ["balance", "5.00"],
      ])
        await ok(
          client.post(`${bucket}/invoices/${id}/$credit`, { to, lines: [{ description: "Outage", amount: amount! }] }),
        );
    ids = await newInvoices("customer", runs + nodesCount);
    await server.stop();
    folder = await temporaryFolder("data");
    storage = await openStorageOf(database, folder.path, clock);
    await storage.write((transaction) => transaction.run("UPDATE stripe_invoices SET next_on = NULL", []));
  });
  afterAll(async () => {
    await storage.close();
    await database.drop();
    await folder.remove();
  });

  function syncOn(used: Storage): InvoiceSync {
    const accounts = new StripeAccounts({
      keyring: new Keyring([encryptionKey]),
      egress: new Egress("any"),
      url: stripe.url,
    });
    const log = new Log({ level: "error", readable: false, sink: { write: () => {} } });
    return new InvoiceSync({ storage: used, clock, log, accounts });
  }

  async function queue(id: string): Promise<void> {
    await storage.write((transaction) =>
      transaction.run(
        "UPDATE stripe_invoices SET next_on = ?, failures = 0 WHERE invoice_seq = (SELECT seq FROM invoices WHERE id = ?)",
        [clock.now(), id],
      ),
    );
  }

  /** Simulates a process that crashes: from then on, storage writes throw and requests to Stripe are lost. */
  async function runUntil({ operations, isAfter }: Death, nextFault: () => Fault): Promise<void> {
    let left = operations;
    const isDead = () => left <= 0;
    const mortal: Storage = Object.create(storage, {
      write: {
        value: async (work: Parameters<Storage["write"]>[0]) => {
          if (isDead()) throw new Died();
          left -= 1;
          if (isDead() && !isAfter) throw new Died();
          const result = await storage.write(work);
          if (isDead()) throw new Died();
          return result;
        },
      },
    });
    stripe.fault = () => {
      if (isDead()) return "lost-request";
      left -= 1;
      if (isDead()) return isAfter ? "lost-response" : "lost-request";
      return nextFault();
    };
    await syncOn(mortal)
      .run()
      .catch((error) => {
        if (!(error instanceof Died)) throw error;
      });
  }

  interface Stored {
    status: string;
    number: string | null;
    next_on: number | null;
  }
  const stored = (id: string) =>
    storage.reads.one<Stored>(
      `SELECT invoices.status, invoices.number, stripe_invoices.next_on FROM invoices
       JOIN stripe_invoices ON stripe_invoices.invoice_seq = invoices.seq WHERE invoices.id = ?`,
      [id],
    );

  async function finish(id: string): Promise<void> {
    stripe.fault = () => "none";
    for (let runs = 0; runs < 10 && (await stored(id))?.next_on !== null; runs += 1) {
      clock.advance(7 * hour);
      await syncOn(storage).run();
    }
  }

  async function expectChargedOnce(id: string): Promise<void> {
    const remotes = [...stripe.book.invoices.values()].filter(({ metadata }) => metadata?.tollgate_invoice === id);
    expect(stripe.book.charges.filter(({ ours }) => ours === id)).toMatchObject([{ amount: 3000 }]);
    // Nothing was created twice either: a second draft would charge nothing, but remain.
    expect(remotes).toMatchObject([{ status: "paid", total: 3000 }]);
    expect(stripe.book.itemsOf(remotes[0]!.id)).toHaveLength(1);
    expect(await stored(id)).toEqual({ status: "paid", number: remotes[0]!.number, next_on: null });
  }

  async function expectRefundedOnce(id: string): Promise<void> {
    const remote = [...stripe.book.invoices.values()].find(({ metadata }) => metadata?.tollgate_invoice === id)!;
    const notes = stripe.book.creditNotes.filter(({ invoice }) => invoice === remote.id);
    const returned = notes.map(({ amount, refunds, out_of_band_amount }) => ({
      amount,
      refunded: refunds.map(({ amount_refunded }) => amount_refunded),
      outside: out_of_band_amount,
    }));
    expect(returned).toEqual([
      { amount: 1000, refunded: [1000], outside: null },
      { amount: 500, refunded: [], outside: 500 },
    ]);
    const ours = await storage.reads.all(
      "SELECT refunded, refund_state FROM invoices WHERE corrects_id = ? ORDER BY seq",
      [id],
    );
    expect(ours).toEqual([
      { refunded: "1000", refund_state: "succeeded" },
      { refunded: "0", refund_state: null },
    ]);
    expect(await stored(id)).toEqual({ status: "paid", number: remote.number, next_on: null });
  }

  /** Processes continue the collection of each invoice, and end; then it is finished, and checked. */
  async function withDeaths(used: string[], numRuns: number, check: (id: string) => Promise<void>): Promise<void> {
    let next = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(death, { minLength: 1, maxLength: 6 }),
        fc.array(fault, { maxLength: 20 }),
        async (deaths, faults) => {
          const id = used[next]!;
          next += 1;
          await queue(id);
          const remaining = [...faults];
          for (const each of deaths) {
            await runUntil(each, () => remaining.shift() ?? "none");
            clock.advance(each.pauseHours * hour);
          }
          await finish(id);
          await check(id);
        },
      ),
      // An invoice is used once, so a failing example is not shrunk.
      { numRuns, endOnFailure: true },
    );
  }

  async function onTwoNodes(used: string[], check: (id: string) => Promise<void>): Promise<void> {
    for (const id of used) await queue(id);
    stripe.fault = () => "none";
    await Promise.all([syncOn(storage).run(), syncOn(storage).run()]);
    for (const id of used) await finish(id);
    for (const id of used) await check(id);
  }

  test("each invoice is charged exactly once, whatever fails and wherever the process ends", async () => {
    await withDeaths(ids, runs, expectChargedOnce);
  });

  test("each credit note is made exactly once, whatever fails and wherever the process ends", async () => {
    await withDeaths(creditedIds, creditedRuns, expectRefundedOnce);
  });

  test("two nodes at the same time charge each invoice once", async () => {
    await onTwoNodes(ids.slice(-nodesCount), expectChargedOnce);
  });

  test("two nodes at the same time make each refund once", async () => {
    await onTwoNodes(creditedIds.slice(-nodesCount), expectRefundedOnce);
  });
});
