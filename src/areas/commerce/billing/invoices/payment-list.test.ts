import { expect, test } from "bun:test";
import { CompiledQuery } from "kysely";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { numberPlaceholders } from "../../../../platform/storage/engines/statements.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { isQueued } from "./billing-mails.ts";
import { waitingDrafts } from "./invoice-store.ts";
import { emptyInvoice } from "./invoices.ts";
import { listPayments } from "./revenue.ts";

const count = 3_000;

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** How the engine reads a page, line by line. */
  async function planOf(sql: string, parameters: unknown[]): Promise<string> {
    const { reads } = storage.open;
    const explain = engine.name === "sqlite" ? "EXPLAIN QUERY PLAN " : "EXPLAIN ";
    const text = engine.name === "sqlite" ? sql : numberPlaceholders(sql);
    const { rows } = await reads.query.executeQuery<object>(CompiledQuery.raw(explain + text, parameters));
    return rows.map((row) => Object.values(row).at(-1)).join("\n");
  }

  test("payments, drafts that wait for the seller, and whether a mail was queued are read from their indexes", async () => {
    const { open, clock } = storage;
    const account = await MeteringAccount.create(open, clock);
    const { act, bucket } = account;
    const sums = { lines: "[]", subtotal: "100", tax: "0", total: "100", amount_due: "0", collected: "100" };
    const paid = Array.from({ length: count }, (_, index) => ({
      ...emptyInvoice(act, bucket, `customer-${index % 7}`, "EUR"),
      ...sums,
      status: index % 3 === 0 ? "open" : "paid",
      paid_on: index % 3 === 0 ? null : act.now + ((index * 7919) % count),
    }));
    const mail = { kind: "invoice", recipient: "a@example.com", state: "sent", attempts: 1 };
    const times = { due_on: act.now, created_on: act.now };
    const mails = paid.map(({ id }) => ({ id, subject_id: id, ...mail, ...times }));
    await open.write(async (transaction) => {
      await transaction.insertAll("invoices", paid);
      await transaction.insertAll("mails", mails);
      for (const table of ["invoices", "mails"]) await transaction.run(`ANALYZE ${table}`, []);
    });
    const read: { sql: string; parameters: unknown[] }[] = [];
    const watched: Reads = {
      ...open.reads,
      query: open.reads.query,
      one: (sql, parameters) => {
        if (sql.includes("FROM mails")) read.push({ sql, parameters });
        return open.reads.one(sql, parameters);
      },
      all: (sql, parameters) => {
        read.push({ sql, parameters });
        return open.reads.all(sql, parameters);
      },
    };
    const filters = [{}, { from: act.now + 100, to: act.now + 2_000 }];
    for (const filter of filters) {
      const { data, total } = await listPayments(watched, bucket, filter, { limit: 20, offset: 40 });
      const times = data.map(({ paidOn }) => paidOn);
      expect(times).toEqual(times.toSorted());
      expect(data).toHaveLength(20);
      expect(total).toBeGreaterThan(1_000);
    }
    expect(read).toHaveLength(filters.length);
    for (const { sql, parameters } of read) {
      const plan = await planOf(sql, parameters);
      expect(plan).toContain("invoices_paid");
      expect(plan).not.toMatch(/Sort|TEMP B-TREE/);
    }
    await waitingDrafts(watched, 100);
    expect(await isQueued(watched, undefined, mail.kind, paid[7]!.id)).toBe(true);
    const [drafts, queued] = read.slice(-2);
    expect(await planOf(drafts!.sql, drafts!.parameters)).toContain("invoices_waiting");
    expect(await planOf(queued!.sql, queued!.parameters)).toContain("mails_of_subject");
  });
});
