import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { unique } from "../../../../../test/support/metering.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { WriteTransaction } from "../../../../platform/storage/storage.ts";
import { ensureKeyBucket } from "../../../api-keys/key-buckets/key-buckets.ts";
import { buyerOf, ensureCustomer } from "../customers/customers.ts";
import { createDraft, finalize } from "../invoices/invoices.ts";
import { addGrant } from "../periods/grant-actions.ts";
import { billingHooks } from "../periods/subscription-hooks.ts";
import { setProfile } from "../settings/settings.ts";
import { savingBook } from "./book.ts";

const fee = { price: { currency: "EUR", amount: "10.00", interval: "month" } };
const money = { currency: "EUR", amount: "5.00", funding: "paid" } as const;

eachEngine((engine) => {
  const storage = useStorage(engine);

  async function arrange() {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { act, bucket } = account;
    const plan = await account.plan({ requests: { max: 5 } }, fee);
    const key = unique("customer");
    const subscription = await account.subscribe(plan, key);
    await open.write((transaction) => billingHooks.created({ transaction, act, bucket }, subscription));
    const draft = (transaction: WriteTransaction) =>
      createDraft({ transaction, act, bucket }, { customerKey: key, currency: "EUR", lines: [], finalizesOn: act.now });
    const save = (work: (own: WriteTransaction) => Promise<unknown>, between = async (_: WriteTransaction) => {}) =>
      open.write((transaction) =>
        savingBook(storage.open, transaction, { act, bucket, customerKeys: [key] }, async (book) => {
          await book.part(transaction, work);
          await between(transaction);
        }),
      );
    const rows = <Row>(table: string) =>
      open.reads.all<Row>(`SELECT * FROM ${table} WHERE bucket_seq = ? AND customer_key = ? ORDER BY 1`, [
        bucket.seq,
        key,
      ]);
    return { act, bucket, key, draft, save, rows, subscription };
  }

  test("a book knows the display names of its customers", async () => {
    const { act, bucket, key, save } = await arrange();
    await storage.open.write(async (transaction) => {
      const { seq } = await ensureKeyBucket(transaction, act, "main");
      const more = { id: key, description: null, tags: null, metadata: null, version: 1 };
      const named = { ...more, bucket_seq: seq, display_name: "Acme Inc", created_on: act.now, updated_on: act.now };
      await transaction.insert("consumers", { ...named, name: key });
      await transaction.insert("consumers", { ...named, id: unique("id"), name: unique("other") });
    });
    let buyer: object | undefined;
    await save(async (own) => {
      buyer = await buyerOf(own, bucket, key);
    });
    expect(buyer).toEqual({ customerKey: key, legalName: "Acme Inc" });
  });

  test("what is written in a book is saved: new, changed and deleted rows, and references between new ones", async () => {
    const { act, bucket, key, draft, save, rows, subscription } = await arrange();
    const { open } = storage;
    const [former] = await rows<{ seq: number }>("invoices");
    const removed = await open.write(draft);
    storage.changes.length = 0;
    await save(async (own) => {
      await own.run("UPDATE invoices SET version = 9, payment_reference = ? WHERE seq = ?", [
        `it's "paid", {\\}`,
        former!.seq,
      ]);
      await own.run("DELETE FROM invoices WHERE seq = ?", [removed.seq]);
      await addGrant({ transaction: own, act, bucket }, key, money);
      await draft(own);
    });
    const invoices = await rows<{ seq: number; version: number; payment_reference: string | null }>("invoices");
    expect(invoices).toMatchObject([
      { seq: former!.seq, version: 9, payment_reference: `it's "paid", {\\}` },
      { version: 1, payment_reference: null },
    ]);
    expect(invoices[1]!.seq).toBeGreaterThan(removed.seq);
    expect(invoices[1]!.seq).toBeLessThan(1_000_000);
    const [grant] = await rows<{ seq: number }>("grants");
    const entries = "SELECT grant_seq, kind FROM grant_entries WHERE grant_seq = ?";
    expect(await open.reads.all<object>(entries, [grant!.seq])).toEqual([{ grant_seq: grant!.seq, kind: "granted" }]);
    const [own] = await rows<{ seq: number; has_credits: number }>("subscriptions");
    expect(own).toMatchObject({ seq: subscription.row.seq, has_credits: 1 });
    expect(storage.changes.map(({ kind }) => kind)).toContain("grant.created");
  });

  test("a part that fails writes nothing, and its changes are not published", async () => {
    const { act, bucket, key, save, rows } = await arrange();
    storage.changes.length = 0;
    const failing = save(async (own) => {
      await addGrant({ transaction: own, act, bucket }, key, money);
      throw new Error("after the grant");
    });
    await expect(failing).rejects.toThrow("after the grant");
    const { open } = storage;
    await open.write((transaction) =>
      savingBook(open, transaction, { act, bucket, customerKeys: [key] }, async (book) => {
        const part = book.part(transaction, async (own) => {
          await addGrant({ transaction: own, act, bucket }, key, money);
          throw new Error("after the grant");
        });
        await expect(part).rejects.toThrow("after the grant");
      }),
    );
    expect(await rows("grants")).toEqual([]);
    expect(storage.changes).toEqual([]);
  });

  test("nothing is saved if another transaction has changed one of the rows since they were loaded", async () => {
    const { draft, save, rows } = await arrange();
    const [invoice] = await rows<{ seq: number }>("invoices");
    const pay = (reference: string) => (transaction: WriteTransaction) =>
      transaction.run("UPDATE invoices SET payment_reference = ? WHERE seq = ?", [reference, invoice!.seq]);
    const late = save(async (own) => {
      await draft(own);
      await pay("late")(own);
    }, pay("early"));
    await expect(late).rejects.toThrow("What was billed has changed in the meantime");
    expect(await rows("invoices")).toMatchObject([{ seq: invoice!.seq, payment_reference: null }]);
    const removing = save(
      (own) => own.run("DELETE FROM invoices WHERE seq = ?", [invoice!.seq]),
      (transaction) => transaction.run("DELETE FROM invoices WHERE seq = ?", [invoice!.seq]),
    );
    await expect(removing).rejects.toThrow("What was billed has changed in the meantime");
  });

  test("books of an account are computed at the same time, and their invoices and changes have numbers without gaps", async () => {
    const { act, bucket, key } = await arrange();
    const { open } = storage;
    const keys = [key, unique("other")];
    await open.write((transaction) => ensureCustomer({ transaction, act, bucket }, keys[1]!));
    const address = { line1: "Hauptstr. 1", city: "Berlin", country: "DE" };
    const terms = { termsDays: 14, graceDays: 7, buyerAddress: "optional", taxBehavior: "exclusive" } as const;
    const profile = { legalName: "Seller", address, numberPrefix: "I-", ...terms };
    await open.write((transaction) => setProfile(transaction, act, profile, () => {}));
    const line = { kind: "manual", quantity: 1, amount: 100n, periodStart: act.now, periodEnd: act.now } as const;
    const bill = (customerKey: string) => async (transaction: WriteTransaction) => {
      const context = { transaction, act, bucket };
      const draft = await createDraft(context, { customerKey, currency: "EUR", lines: [line], finalizesOn: null });
      await finalize(context, draft, profile);
    };
    await open.write(bill(key));
    storage.changes.length = 0;
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const together = keys.map((customerKey, index) =>
      open.write((transaction) =>
        savingBook(open, transaction, { act, bucket, customerKeys: [customerKey] }, async (book) => {
          for (let count = 0; count < 2; count += 1) await book.part(transaction, bill(customerKey));
          begun[index]!.resolve();
          // SQLite has one writer.
          if (open.isShared) await Promise.all(begun.map(({ promise }) => promise));
        }),
      ),
    );
    await Promise.all(together);
    const numbered = "SELECT number FROM invoices WHERE bucket_seq = ? AND number IS NOT NULL ORDER BY number";
    const numbers = (await open.reads.all<{ number: string }>(numbered, [bucket.seq])).map(({ number }) => number);
    expect(numbers).toEqual(["I-000001", "I-000002", "I-000003", "I-000004", "I-000005"]);
    const finalized = storage.changes.filter(({ kind }) => kind === "invoice.finalized");
    expect(finalized.map(({ details }) => details!.resource.name).toSorted()).toEqual(numbers.slice(1));
  });

  test("a mail that is queued already is not queued again", async () => {
    const { act, bucket, save } = await arrange();
    const mail = (id: string, subject_id: string) => (transaction: WriteTransaction) =>
      transaction.insert("mails", {
        ...{
          id: `${id} ${bucket.id}`,
          kind: "billing-invoice",
          recipient: "a@example.com",
          subject_id: `${bucket.id} ${subject_id}`,
        },
        ...{
          account_seq: act.account.seq,
          person_seq: null,
          state: "queued",
          attempts: 0,
          due_on: act.now,
          lease: null,
        },
        ...{ last_error: null, created_on: act.now, expires_on: null, ended_on: null },
      });
    await storage.open.write(mail("first", "one"));
    await save(async (own) => {
      await mail("again", "one")(own);
      await mail("other", "two")(own);
    });
    const sql = "SELECT id FROM mails WHERE account_seq = ? ORDER BY seq";
    const queued = await storage.open.reads.all<{ id: string }>(sql, [act.account.seq]);
    expect(queued.map(({ id }) => id)).toEqual([`first ${bucket.id}`, `other ${bucket.id}`]);
  });

  test("what needs usage of hours or events fails", async () => {
    const { save } = await arrange();
    for (const table of ["usage_hours", "usage_events", "test_mails"])
      await expect(save((own) => own.all(`SELECT * FROM ${table}`, []))).rejects.toThrow(`no such table: ${table}`);
  });
});
