import { expect, test } from "bun:test";
import { ok } from "../../../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../../../test/support/engines.ts";
import { runSql } from "../../../../../../../test/support/run-sql.ts";
import { hour, liveProvider, useStripeScene } from "../../../../../../../test/support/stripe/stripe-scene.ts";
import { tableContent } from "../../../../../../../test/support/table-content.ts";

const path = `${liveProvider}/comparison`;
/** One more than are compared. */
const tooMany = 10_001;

eachEngine((engine) => {
  const scene = useStripeScene(engine);
  const { stripe, clock, remoteOf, subscribed } = scene;
  const report = () => ok(scene.client.get(path));

  test("with too many invoices at Stripe, those since a later time are compared, and older ones are not reported as missing", async () => {
    const before = await subscribed();
    await scene.server.catchUp();
    clock.advance(hour);
    const foreign = structuredClone(remoteOf(before.id));
    for (let count = 0; count < tooMany; count += 1) {
      const id = `in_foreign_${count}`;
      stripe.book.invoices.set(id, { ...foreign, id, metadata: {}, created: stripe.book.seconds });
    }
    clock.advance(2 * hour);
    const after = await subscribed();
    await scene.server.catchUp();
    stripe.book.invoices.delete(remoteOf(after.id).id);
    const found = await report();
    expect(found).toMatchObject({ since: clock.iso(-hour), isTruncated: true, compared: 1 });
    expect(found.differences).toMatchObject([{ kind: "missing", invoiceId: after.id }]);
    for (const id of [...stripe.book.invoices.keys()])
      if (id.startsWith("in_foreign_")) stripe.book.invoices.delete(id);
    expect(await report()).toMatchObject({ isTruncated: false, compared: 2 });
  });

  test("with too many invoices here, the newest are compared, and none at Stripe is unknown", async () => {
    const { id } = await subscribed();
    await scene.server.catchUp();
    await copyInvoice(id, tooMany - 1);
    clock.advance(hour);
    const newest = await subscribed();
    await scene.server.catchUp();
    expect(remoteOf(newest.id).status).toBe("paid");
    // Those of one time do not all fit, so none of them is compared.
    const since = clock.iso(1 - hour);
    expect(await report()).toEqual({ since, isTruncated: true, compared: 1, differences: [] });
  });

  async function copyInvoice(id: string, count: number) {
    const { database } = scene.server;
    const invoices = await tableContent(database, "invoices");
    const { seq, ...columns } = invoices.find((row) => row.id === id)!;
    const [collection] = await tableContent(database, "stripe_invoices");
    const copies = `WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${count})`;
    const all = Object.keys(columns).map((name) =>
      name === "id" ? `'copy-' || n` : name === "number" ? "NULL" : name,
    );
    await runSql(
      database,
      `INSERT INTO invoices (${Object.keys(columns)}) ${copies} SELECT ${all} FROM invoices, copies WHERE seq = ${seq}`,
    );
    const names = Object.keys(collection!).filter((name) => name !== "invoice_seq");
    await runSql(
      database,
      `INSERT INTO stripe_invoices (invoice_seq, ${names}) SELECT invoices.seq, ${names.map((name) => `stripe_invoices.${name}`)}
       FROM invoices, stripe_invoices WHERE invoices.id LIKE 'copy-%' AND stripe_invoices.invoice_seq = ${seq}`,
    );
  }
});
