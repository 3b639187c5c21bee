import { expect, test } from "bun:test";
import { recordingStatements, scannedTables } from "../../../../../test/support/counted-statements.ts";
import { eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { KeyAccount } from "../../../../../test/support/key-rules.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { Keyring } from "../../../../lib/crypto/keyring.ts";
import { findRows } from "../../../../platform/storage/rows.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { deleteAccount } from "../../../access/accounts/accounts.ts";
import { deleteMeteringOf } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { MessageQueue } from "../deliveries/messages.ts";
import { removeDeletedWebhooks } from "../removal.ts";
import { deleteWebhooksOf, Webhooks } from "../webhooks.ts";
import { FanOut } from "./fan-out.ts";
import { announceRenewals } from "./subscription-times.ts";
import { runTimedEvents } from "./timed-events.ts";

const day = 24 * 60 * 60 * 1000;
const signal = new AbortController().signal;

eachEngine((engine) => {
  const storage = useStorage(engine);
  const webhooks = new Webhooks(new Keyring([Buffer.alloc(32)]), "public");

  async function subscribedAccount(events: string[]): Promise<MeteringAccount> {
    const account = await MeteringAccount.create(storage.open, storage.clock);
    await storage.open.write((transaction) =>
      webhooks.create(transaction, account.act, { url: "https://example.com/", events }),
    );
    return account;
  }

  const messagesOf = ({ account }: Pick<MeteringAccount, "account">) =>
    findRows(storage.open.reads, "webhook_messages", { account_seq: account.seq });

  /** Returns how many statements the work has for few and for many rows. On SQLite, many rows are several. */
  async function statementsOf(work: (count: number) => Promise<(recorded: Storage) => Promise<void>>) {
    const counts: number[] = [];
    for (const count of [2, 2, 60]) {
      const measured = await work(count);
      const { storage: recorded, statements } = recordingStatements(storage.open);
      await measured(recorded);
      // An account has few webhooks.
      const large = (await scannedTables(storage.open, statements)).filter(
        (name) => !/^(webhooks|feed_cursors)$/.test(name),
      );
      expect(large).toEqual([]);
      const kindOf = (statement: string) => statement.replace(/\((?:\?, )*\?\)(?:, \((?:\?, )*\?\))*/g, "(?)");
      counts.push(engine === postgres ? statements.length : new Set(statements.map(kindOf)).size);
    }
    // The first run begins scans.
    return counts.slice(1);
  }

  test("changes of many accounts become messages with as many statements as those of few", async () => {
    const counts = await statementsOf(async (count) => {
      await new FanOut(storage.open, storage.clock).run(signal);
      const accounts: MeteringAccount[] = [];
      for (let index = 0; index < count / 2; index++) {
        const account = await subscribedAccount(["subscription.*"]);
        const plan = await account.plan({ calls: { max: 10 } });
        const trial = { status: "trialing", trialEndDate: storage.clock.now() + day } as const;
        for (const input of [{}, trial]) await account.subscribe(plan, unique("customer"), input);
        accounts.push(account);
      }
      return async (recorded) => {
        const fanOut = new FanOut(recorded, storage.clock);
        await fanOut.run(signal);
        for (const account of [accounts[0]!, accounts.at(-1)!]) {
          const types = (await messagesOf(account)).map(({ type }) => type).toSorted();
          expect(types).toEqual(["subscription.created", "subscription.created", "subscription.trial_ending"]);
        }
      };
    });
    // Pages of 100 changes: those of more accounts are a few pages.
    expect(counts[1]! - counts[0]!).toBeLessThan(3 * 12);
  });

  test("keys that expire and trials that end are announced with as many statements as few of them", async () => {
    const counts = await statementsOf(async (count) => {
      const keys = await KeyAccount.create(storage);
      const account = await MeteringAccount.create(storage.open, storage.clock, keys.account);
      await storage.open.write((transaction) =>
        webhooks.create(transaction, account.act, { url: "https://example.com/", events: ["key.*", "subscription.*"] }),
      );
      await runTimedEvents(storage.open, storage.clock, signal);
      const plan = await account.plan({ calls: { max: 10 } });
      for (let index = 0; index < count; index++) {
        await keys.consumer("main", { expiresOn: storage.clock.now() + day / 2 });
        const trialEndDate = storage.clock.now() + 3.5 * day;
        await account.subscribe(plan, unique("customer"), { status: "trialing", trialEndDate });
      }
      storage.clock.advance(day);
      return async (recorded) => {
        await runTimedEvents(recorded, storage.clock, signal);
        const types = Map.groupBy(await messagesOf(account), ({ type }) => type);
        expect(types.get("key.expired")).toHaveLength(count);
        expect(types.get("subscription.trial_ending")).toHaveLength(count);
      };
    });
    expect(counts[1]).toBe(counts[0]!);
  });

  test("renewals of many subscriptions are announced with as many statements as those of few", async () => {
    const counts = await statementsOf(async (count) => {
      const account = await subscribedAccount(["subscription.renewed"]);
      const plan = await account.plan({ calls: { max: 10 } });
      for (let index = 0; index < count; index++) await account.subscribe(plan, unique("customer"));
      await announceRenewals(storage.open, storage.clock.now(), signal);
      storage.clock.advance(32 * day);
      return async (recorded) => {
        await announceRenewals(recorded, storage.clock.now(), signal);
        expect(await messagesOf(account)).toHaveLength(count);
      };
    });
    expect(counts[1]).toBe(counts[0]!);
  });

  test("a message leaves no row if its account is deleted before it is stored", async () => {
    const account = await subscribedAccount(["quota.threshold"]);
    const { act } = account;
    const remove = async () => {
      await storage.open.write((transaction) =>
        deleteAccount(transaction, act, [deleteMeteringOf, deleteWebhooksOf], () => {}),
      );
      await removeDeletedWebhooks(storage.open);
    };
    let removed: Promise<void> | undefined;
    await storage.open.write(async (transaction) => {
      const queue = await MessageQueue.open(transaction, [act.account.seq], act.now);
      removed ??= remove();
      if (engine === postgres) await removed;
      const event = { accountSeq: act.account.seq, messageId: "msg_late", time: act.now, data: {} };
      await queue.add([{ ...event, type: "quota.threshold" }]);
    });
    await removed;
    expect(await messagesOf(account)).toEqual([]);
  });
});
