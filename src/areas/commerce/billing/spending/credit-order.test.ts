import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  moveTo,
  ok,
  perUnit,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useServer } from "../../../../../test/support/server.ts";

const start = "2031-01-01T00:00:00.000Z";
const prepaid = { ...perUnit("0.10"), overage: "prepaid" };

// Usage is compared with credits each hour, and before anything else uses or adds credit.
eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  beforeAll(async () => {
    await setProfile(client);
  });

  /** Prepaid usage and a fee of 3.00 that is not paid. */
  async function scene() {
    const { bucket, path } = await billed(client, start, rated(prepaid, { max: 0, amount: "3.00" }));
    const [{ id }] = await invoicesOf(client, bucket);
    const invoice = () => ok(client.get(`${bucket}/invoices/${id}`));
    const act = (name: string, body?: object) => ok(client.post(`${bucket}/invoices/${id}/${name}`, body));
    const consume = (requests: number) => ok(client.post(`${path}/quotas/consume`, { meters: { requests } }));
    const grant = (amount: string) =>
      ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount, funding: "paid" }));
    const balance = async () =>
      (await ok(client.get(`${bucket}/customers/acme/grants`))).data
        .map((each: { balance: string }) => Number(each.balance))
        .reduce((sum: number, each: number) => sum + each, 0);
    const writtenOff = async () => {
      await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
      return (await invoicesOf(client, bucket)).map((each) => each.writtenOff).filter(Boolean);
    };
    return { bucket, invoice, act, consume, grant, balance, writtenOff };
  }

  test("$collect does not take money that prepaid requests have used", async () => {
    const { invoice, act, consume, grant, balance, writtenOff } = await scene();
    await grant("5.00");
    expect(await consume(40)).toMatchObject({ allowed: true });
    await act("$collect");
    expect(await invoice()).toMatchObject({ amountDue: "2.00", fromCredits: "1.00" });
    expect(await balance()).toBe(0);
    expect(await writtenOff()).toEqual([]);
  });

  test("money of an invoice that is voided does not pay for usage before that", async () => {
    const { bucket, invoice, act, grant, balance } = await scene();
    await grant("1.00");
    await act("$collect");
    expect(await invoice()).toMatchObject({ amountDue: "2.00", fromCredits: "1.00" });
    await use(client, bucket, 10);
    await act("$void");
    expect(await balance()).toBe(1);
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    expect(await balance()).toBe(1);
  });

  test("money of a credit note does not pay for usage before that", async () => {
    const { bucket, act, balance } = await scene();
    await act("$mark-paid", {});
    await use(client, bucket, 10);
    await act("$credit", { lines: [{ description: "Outage", amount: "2.00" }] });
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    expect(await balance()).toBe(2);
  });
});
