import { expect, test } from "bun:test";
import { sqlite } from "../../../../../test/support/engines.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { MemoryTransaction } from "../../../../platform/storage/storage.ts";
import type { TableName } from "../../../../platform/storage/tables.ts";
import { paymentProviders } from "../../../../server/background-services/payments.ts";
import { type ProviderType, providerTypes } from "./interface.ts";

const storage = useStorage(sqlite);
const now = 1_000;
const invoice = { accountSeq: 1, mode: "live", invoiceSeq: 1, now } as const;
const method = async () => undefined;

/** Storage in memory takes no turn of the event loop, and another system takes one at least. */
function atOnce<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  setImmediate(() => reject(new Error("waits for another system")));
  return Promise.race([answer, promise]);
}

/** What a provider answers about an invoice that waits, and about one that may exist at it. */
async function answersOf(type: ProviderType, book: MemoryTransaction) {
  const provider = paymentProviders[type];
  const stop = () => atOnce(provider.stopPayments(book, [1, 2], now));
  const isCharging = () => atOnce(provider.isCharging(book, [1, 2]));
  const requested = await atOnce(provider.requestPayment(book, { ...invoice, method }));
  const waiting = [await isCharging(), await stop()];
  if (provider.tables.stripe_invoices !== undefined)
    await book.run("UPDATE stripe_invoices SET began_on = ?, charging = 1", [now]);
  const refunded = await atOnce(provider.refund(book, { invoiceSeq: 1, amount: 500n, method }));
  const begun = [await isCharging(), await stop()];
  await atOnce(provider.invoiceUpdated(book, 1, now));
  await atOnce(provider.credentialsChanged(book, 1, "live", now));
  return { requested, waiting, refunded, begun };
}

test("the check notices what waits", async () => {
  await expect(atOnce(Bun.sleep(1))).rejects.toThrow("waits for another system");
});

const expected: Record<ProviderType, Awaited<ReturnType<typeof answersOf>>> = {
  manual: { requested: "waiting", waiting: [false, "accepted"], refunded: 500n, begun: [false, "accepted"] },
  sandbox: { requested: "waiting", waiting: [false, "stopped"], refunded: 500n, begun: [false, "stopped"] },
  stripe: { requested: "requested", waiting: [false, "stopped"], refunded: "requested", begun: [true, "stopping"] },
};

test.each([...providerTypes])("%s reads and changes only its own tables within a transaction", async (type) => {
  // Other tables do not exist there: a statement about them fails.
  const tables = Object.keys(paymentProviders[type].tables) as TableName[];
  const answers = await storage.open.inMemory(tables, (book) => answersOf(type, book));
  expect(answers).toEqual(expected[type]);
});
