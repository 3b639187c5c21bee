import { expect, test } from "bun:test";
import { blocksAnother } from "../../../../../test/support/blocks-another.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { until } from "../../../../../test/support/until.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { createAccount } from "../../../access/accounts/accounts.ts";
import { lockWebhook } from "../store.ts";
import { finishDelivery } from "./delivery-engine.ts";
import * as store from "./delivery-store.ts";
import { newDelivery } from "./messages.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);
  const lease = "a lease";

  /** A delivery with an attempt in progress. */
  async function leasedDelivery(transaction: WriteTransaction) {
    const now = storage.clock.now();
    const { seq: account_seq } = await createAccount(transaction, { actor: "system", now }, unique("account"));
    const times = { created_on: now, updated_on: now };
    const hook = { account_seq, id: unique("whk"), url: "http://127.0.0.1", events: '["*"]', description: null };
    const unset = { disabled_reason: null, previous_secret: null, previous_until: null, failing_since: null };
    const row = { ...hook, ...unset, ...times, is_enabled: 1, secret: new Uint8Array(), next_due_on: now, version: 1 };
    const webhookSeq = await transaction.insert("webhooks", row);
    const message = { account_seq, id: unique("msg"), type: "plan.created", body: "{}", created_on: now };
    const seq = (await store.insertMessagesOnce(transaction, [message]))[0]!;
    const delivery = newDelivery(webhookSeq, { ...message, seq }, now);
    await store.insertDeliveries(transaction, [{ ...delivery, lease }]);
    const webhook = (await lockWebhook(transaction, webhookSeq))!;
    return { webhook, delivery: (await findRow(transaction, "webhook_deliveries", { id: delivery.id }))! };
  }

  test.each([200, 500])(
    "a requested retry that commits first is kept, whatever the attempt returns: %d",
    async (status) => {
      const { webhook, delivery } = await storage.open.write(leasedDelivery);
      const now = storage.clock.now();
      const attempt = { webhook, delivery, lease, result: { status, durationMs: 1 }, startedOn: now, now: now + 1 };
      let finished: Promise<void> | undefined;
      await storage.open.write(async (transaction) => {
        await store.reschedule(transaction, delivery.seq, now);
        finished ??= storage.open.write((other) => finishDelivery(other, attempt));
        await until(() => blocksAnother(transaction));
      });
      await finished;
      const { reads } = storage.open;
      const expected = {
        status: "pending",
        attempts: 0,
        schedule_step: 0,
        due_on: now,
        lease: null,
        finished_on: null,
      };
      expect(await findRow(reads, "webhook_deliveries", { id: delivery.id })).toMatchObject(expected);
      expect(await store.attemptsOf(reads, delivery.seq)).toEqual([]);
    },
  );
});
