import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import {
  billed,
  invoicesOf,
  linesOf,
  monthly,
  moveTo,
  ok,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";
const waiting = "2031-02-01T00:30:00.000Z";
const finalized = "2031-02-01T01:00:00.000Z";
const taxRates = [{ name: "VAT", percentage: "10" }];

eachEngine((engine) => {
  const { client } = useServer(engine);
  beforeAll(async () => {
    await setProfile(client, { taxRates });
  });

  /** A draft that waits for late usage, with 13.00 of overage. */
  async function waitingDraft(arrange: (customer: string) => Promise<unknown>) {
    const { bucket, path } = await billed(client, start, rated("0.10"));
    await arrange(`${bucket}/customers/acme`);
    await use(client, bucket, 230);
    await moveTo(client, bucket, waiting);
    const [listed] = await invoicesOf(client, bucket);
    const draftPath = `${bucket}/invoices/${listed.id}`;
    return { bucket, path, listed, draft: await ok(client.get(draftPath)), draftPath };
  }

  test.each<[what: string, total: string, arrange: (customer: string) => Promise<unknown>]>([
    ["a tax", "14.30", () => Promise.resolve()],
    ["a cap", "5.50", (customer) => ok(client.patch(customer, { spendCap: { amount: "5.00", action: "block" } }))],
    [
      "promotional money",
      "12.10",
      (customer) => ok(client.post(`${customer}/grants`, { currency: "EUR", amount: "2.00", funding: "promotional" })),
    ],
    [
      "paid money",
      "14.30",
      (customer) => ok(client.post(`${customer}/grants`, { currency: "EUR", amount: "2.00", funding: "paid" })),
    ],
  ])("a draft that waits for late usage shows what will be billed, with %s", async (_what, total, arrange) => {
    const { bucket, path, listed, draft, draftPath } = await waitingDraft(arrange);
    expect(listed).toEqual(draft);
    expect(draft).toMatchObject({ status: "draft", total });
    expect(draft).not.toHaveProperty("number");
    const upcoming = await ok(client.get(`${path}/upcoming-invoice`));
    expect([upcoming.total, upcoming.amountDue]).toEqual([draft.total, draft.amountDue]);
    await moveTo(client, bucket, finalized);
    const invoice = await ok(client.get(draftPath));
    expect(invoice).toMatchObject({ status: "open", total, amountDue: draft.amountDue });
    expect(linesOf(invoice)).toEqual(linesOf(draft));
  });

  test("reading a draft changes nothing", async () => {
    const { bucket, draftPath, draft } = await waitingDraft(() => Promise.resolve());
    await use(client, bucket, 10, "2031-01-31T00:00:00.000Z");
    expect((await ok(client.get(draftPath))).total).toBe("15.40");
    await ok(client.get(draftPath));
    await moveTo(client, bucket, finalized);
    const [invoice] = await invoicesOf(client, bucket);
    expect([invoice.id, invoice.total]).toEqual([draft.id, "15.40"]);
  });

  test("without a fee and usage, there is no upcoming invoice", async () => {
    const { path } = await billed(client, start, rated("0.10"));
    expect((await client.get(`${path}/upcoming-invoice`)).status).toBe(404);
  });
});

describe("on PostgreSQL", () => {
  let connection: SQL;
  // Before the server, which drops the database.
  afterAll(() => connection.close());
  const server = useServer(postgres);
  const { client } = server;
  beforeAll(() => {
    connection = new SQL(server.database.environment.DATABASE_URL!, { max: 1 });
  });

  test("a draft that cannot be finalized stops neither the billing profile nor other drafts", async () => {
    const { bucket } = await billed(client, start, monthly("30.00"));
    await moveTo(client, bucket, "2031-03-15T00:00:00.000Z");
    const [broken] = await invoicesOf(client, bucket);
    const { lines } = (await connection.unsafe("SELECT lines FROM invoices WHERE id = $1", [broken.id]))[0];
    await connection.unsafe("UPDATE invoices SET lines = 'x' WHERE id = $1", [broken.id]);
    await setProfile(client);
    await server.runTasks();
    await connection.unsafe("UPDATE invoices SET lines = $2 WHERE id = $1", [broken.id, lines]);
    const numbers = async () => (await invoicesOf(client, bucket)).map(({ number }) => number);
    expect(await numbers()).toEqual([undefined, "TEST-INV-000001", "TEST-INV-000002"]);
    await eventually(() => server.log).toContain("a subscription could not be billed");
    await server.runTasks();
    expect(await numbers()).toEqual(["TEST-INV-000003", "TEST-INV-000001", "TEST-INV-000002"]);
  });
});
