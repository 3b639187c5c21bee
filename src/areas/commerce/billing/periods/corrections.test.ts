import { beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  linesOf,
  moveTo,
  ok,
  perUnit,
  rated,
  setProfile,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, record, subscribed, unique, usageEvent, usedOf } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

const start = "2031-01-01T00:00:00.000Z";
const renewed = "2031-02-01T01:00:00.000Z";
const next = "2031-03-01T01:00:00.000Z";
const later = "2031-04-01T01:00:00.000Z";
const source = "test";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  beforeAll(async () => {
    await setProfile(client);
  });

  /** Records an event of `acme` and returns its id. */
  const use = async (bucket: string, requests: number, time?: string): Promise<string> => {
    const id = unique("event");
    const event = usageEvent({ requests }, { id, source, ...(time === undefined ? {} : { time }) });
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 1 });
    return id;
  };
  const send = (bucket: string, id: string, more: object = {}) =>
    client.post(`${bucket}/events/$void`, { source, id, reason: "sent by a test", ...more });
  const takeBack = (bucket: string, id: string) => ok(send(bucket, id));
  const grants = async (bucket: string) =>
    (await ok(client.get(`${bucket}/customers/acme/grants`))).data.map(
      ({ amount, balance, funding }: Record<string, unknown>) => [amount, balance, funding],
    );
  const used = (path: string, at?: string) => usedOf(client, path, at).then(({ requests }) => requests);
  const invoices = async (bucket: string) =>
    (await invoicesOf(client, bucket)).filter(({ type }) => type === "invoice");

  test("an event is taken back once, and stays a duplicate", async () => {
    const { bucket, path } = await subscribed(client, { meters: { requests: { max: 10 }, bytes: { max: 10 } } });
    const event = usageEvent({ requests: 7.5, bytes: 2 }, { id: "1", source });
    await record(client, bucket, event);
    await use(bucket, 2);
    const consume = (requests: number) => ok(client.post(`${path}/quotas/consume`, { meters: { requests } }));
    expect(await consume(3)).toMatchObject({ allowed: false });
    const voided = await takeBack(bucket, "1");
    expect(voided).toMatchObject({ source, id: "1", customerKey: "acme" });
    expect(await usedOf(client, path)).toEqual({ requests: 2, bytes: 0 });
    expect(await consume(8)).toMatchObject({ allowed: true });
    expect(await takeBack(bucket, "1")).toEqual(voided);
    expect(await record(client, bucket, event)).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await usedOf(client, path)).toEqual({ requests: 10, bytes: 0 });
    expect(await ok(client.get(`${bucket}/reconciliation`))).toMatchObject({ agrees: true });
    const log = await ok(client.get(`/v1/accounts/${account}/audit-log?action=usage.voided`));
    expect(
      log.data.filter(({ resource }: { resource: { id: string } }) =>
        resource.id.startsWith(bucket.split("/").at(-1)!),
      ),
    ).toMatchObject([{ resource: { type: "event", name: "1" } }]);
  });

  test("an event that does not exist, and an invalid request, change nothing", async () => {
    const { bucket, path } = await subscribed(client);
    const id = await use(bucket, 2);
    expect((await send(bucket, "none")).status).toBe(404);
    expect((await send(bucket, id, { source: "other" })).status).toBe(404);
    expect((await send(bucket, id, { reason: "" })).status).toBe(400);
    expect((await send(bucket, id, { reason: undefined })).status).toBe(400);
    const other = await subscribed(client);
    expect((await send(other.bucket, id)).status).toBe(404);
    expect(await used(path)).toBe(2);
  });

  test("before an invoice it is not billed, and grants get back what they paid", async () => {
    const { bucket, path } = await billed(client, start, rated("0.10"));
    const customer = `${bucket}/customers/acme/grants`;
    await ok(client.post(customer, { meter: "requests", amount: 20, funding: "promotional" }));
    await ok(client.post(customer, { currency: "EUR", amount: "1.00", funding: "paid" }));
    await use(bucket, 100);
    const id = await use(bucket, 40);
    // The hour ends: what grants pay is in their ledgers.
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    expect(await grants(bucket)).toEqual([
      [20, 0, "promotional"],
      ["1.00", "0.00", "paid"],
    ]);
    await takeBack(bucket, id);
    expect(await grants(bucket)).toEqual([
      [20, 0, "promotional"],
      ["1.00", "0.00", "paid"],
      [20, 20, "promotional"],
      ["1.00", "1.00", "paid"],
    ]);
    expect(await used(path)).toBe(100);
    await moveTo(client, bucket, renewed);
    expect(await invoices(bucket)).toEqual([]);
  });

  /** Units that 20 units of a grant cover in two segments of a period: 6 without an allowance, then 10 beyond 4. */
  async function coveredTwice() {
    const { bucket, path, plan } = await billed(client, start, rated("0.10", { max: 0 }));
    const other = await createPlan(client, bucket, rated("0.10", { max: 4 }));
    const grant = { meter: "requests", amount: 20, funding: "promotional" };
    await ok(client.post(`${bucket}/customers/acme/grants`, grant));
    const first = await use(bucket, 6);
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    await ok(client.post(`${path}/$change`, { planExternalIds: [other.planExternalId], timing: "now" }));
    const second = await use(bucket, 10);
    // The hour ends: the grant covers it.
    await moveTo(client, bucket, "2031-01-02T01:00:00.000Z");
    const returned = async (id: string) => {
      await takeBack(bucket, id);
      const [, ...others] = await grants(bucket);
      return others;
    };
    return {
      bucket,
      plan: `${bucket}/plans/${plan.id}`,
      other: `${bucket}/plans/${other.id}`,
      first,
      second,
      returned,
    };
  }

  test("usage before a change of plans also gives back what it took of the later allowance", async () => {
    const { bucket, first, returned } = await coveredTwice();
    // 6 of the first segment, and 4 of the second, whose allowance nothing uses any more.
    expect(await returned(first)).toEqual([[10, 10, "promotional"]]);
    await moveTo(client, bucket, renewed);
    expect((await invoices(bucket)).map(({ total }) => total)).toEqual([]);
  });

  test("units of a maximum that was raised are not given back with usage of another segment", async () => {
    const { other, first, second, returned } = await coveredTwice();
    await ok(client.patch(other, { meters: { requests: { max: 16 } } }));
    // All of it is within the maximum now, and what covers it stays.
    expect(await returned(second)).toEqual([]);
    expect(await returned(first)).toEqual([[6, 6, "promotional"]]);
  });

  test("what was paid is credited on the next invoice, and the rest as a grant", async () => {
    const { bucket } = await billed(client, start, rated("0.10", { amount: "3.00" }));
    const pay = async () => {
      for (const { id, status } of await invoices(bucket))
        if (status === "open") await ok(client.post(`${bucket}/invoices/${id}/$mark-paid`, {}));
    };
    await pay();
    const id = await use(bucket, 200);
    await moveTo(client, bucket, renewed);
    await pay();
    expect((await invoices(bucket)).map(linesOf).at(-1)).toEqual([
      ["plan", "3.00"],
      ["overage", "10.00"],
    ]);
    await takeBack(bucket, id);
    await moveTo(client, bucket, next);
    expect((await invoices(bucket)).at(-1)).toMatchObject({ total: "0.00", status: "paid" });
    expect(await grants(bucket)).toEqual([["7.00", "7.00", "paid"]]);
    await moveTo(client, bucket, later);
    expect((await invoices(bucket)).at(-1)).toMatchObject({ total: "3.00", fromCredits: "3.00" });
  });

  test("an unpaid invoice is reduced, and returns no money", async () => {
    const { bucket } = await billed(client, start, rated("0.10"));
    const id = await use(bucket, 200);
    await moveTo(client, bucket, renewed);
    await takeBack(bucket, id);
    await moveTo(client, bucket, "2031-02-10T00:00:00.000Z");
    await moveTo(client, bucket, next);
    expect((await invoices(bucket))[0]).toMatchObject({ total: "10.00", credited: "10.00", amountDue: "0.00" });
    expect(await grants(bucket)).toEqual([]);
  });

  test("usage that is taken back twice is credited on each invoice that has it, the newest first", async () => {
    const { bucket } = await billed(client, start, rated("0.10"));
    const first = await use(bucket, 20);
    await use(bucket, 130);
    await moveTo(client, bucket, renewed);
    const second = await use(bucket, 10, "2031-01-15T00:00:00.000Z");
    await moveTo(client, bucket, next);
    await takeBack(bucket, second);
    await moveTo(client, bucket, later);
    await takeBack(bucket, first);
    await moveTo(client, bucket, "2031-05-01T01:00:00.000Z");
    expect(await invoices(bucket)).toMatchObject([
      { total: "5.00", credited: "2.00", amountDue: "3.00" },
      { total: "1.00", credited: "1.00", amountDue: "0.00" },
    ]);
  });

  test("after the final invoice, what was paid becomes a grant within an hour", async () => {
    const { bucket, path } = await billed(client, start, rated("0.10"));
    const id = await use(bucket, 200);
    await ok(client.post(`${path}/$cancel`, { timing: "now" }));
    await moveTo(client, bucket, "2031-01-01T01:00:00.000Z");
    const [invoice] = await invoices(bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`, {}));
    await takeBack(bucket, id);
    await moveTo(client, bucket, "2031-01-01T02:00:00.000Z");
    expect(await grants(bucket)).toEqual([["10.00", "10.00", "paid"]]);
    expect(await invoices(bucket)).toHaveLength(1);
    expect(await used(path)).toBe(0);
  });

  test("an event before a change of plans lowers what was used before it, and one after it does not", async () => {
    const { bucket, path } = await billed(client, start, rated("0.10", { max: 10 }));
    const { planExternalId } = await createPlan(client, bucket, rated("1.00", { max: 10, amount: "1.00" }));
    const before = await use(bucket, 30);
    // The clock stands still: the change has the time of both events.
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    const after = await use(bucket, 5);
    await takeBack(bucket, before);
    const overage = async () =>
      (await ok(client.get(`${path}/upcoming-invoice`))).lines
        .filter(({ kind }: { kind: string }) => kind === "overage")
        .map(({ amount }: { amount: string }) => amount);
    // Five are within the maximum.
    expect(await overage()).toEqual([]);
    await use(bucket, 7);
    expect(await overage()).toEqual(["2.00"]);
    await takeBack(bucket, after);
    expect(await overage()).toEqual([]);
    expect(await used(path)).toBe(7);
  });

  test("an event of the time of a change that arrived after it stays after it, whatever arrives late", async () => {
    const withBytes = (plan: ReturnType<typeof rated>) => ({ ...plan, meters: { ...plan.meters, bytes: { max: 10 } } });
    const { bucket, path } = await billed(client, start, withBytes(rated("0.10", { max: 10 })));
    const { planExternalId } = await createPlan(client, bucket, withBytes(rated("1.00", { max: 10, amount: "1.00" })));
    await moveTo(client, bucket, "2031-01-05T00:00:00.000Z");
    await use(bucket, 30);
    await ok(client.post(`${path}/$change`, { planExternalIds: [planExternalId], timing: "now" }));
    const after = await use(bucket, 5);
    // The meter of this one had no usage when the plan was changed.
    await record(client, bucket, usageEvent({ bytes: 1 }, { time: "2031-01-02T00:00:00.000Z" }));
    await takeBack(bucket, after);
    await moveTo(client, bucket, renewed);
    const lines = (await invoices(bucket)).flatMap((invoice) => invoice.lines);
    const overage = lines.filter(({ kind }: { kind: string }) => kind === "overage");
    expect(overage).toMatchObject([{ amount: "2.00" }]);
  });

  test("of prepaid usage, less is written off first, and then money is returned", async () => {
    const { bucket } = await billed(client, start, rated({ ...perUnit("0.10"), overage: "prepaid" }, { max: 0 }));
    const customer = `${bucket}/customers/acme/grants`;
    await ok(client.post(customer, { currency: "EUR", amount: "3.00", funding: "promotional" }));
    const ids = [await use(bucket, 20), await use(bucket, 20), await use(bucket, 20)];
    await moveTo(client, bucket, renewed);
    expect((await invoices(bucket)).at(-1)).toMatchObject({ writtenOff: "3.00", total: "0.00" });
    await takeBack(bucket, ids[0]!);
    await moveTo(client, bucket, next);
    expect(await grants(bucket)).toEqual([["3.00", "0.00", "promotional"]]);
    await takeBack(bucket, ids[1]!);
    await moveTo(client, bucket, later);
    expect(await grants(bucket)).toEqual([
      ["3.00", "0.00", "promotional"],
      ["1.00", "1.00", "promotional"],
    ]);
    // Late usage of the same period takes it again, and returns it again.
    const again = await use(bucket, 10, start);
    await moveTo(client, bucket, "2031-05-01T01:00:00.000Z");
    expect((await grants(bucket))[1]).toEqual(["1.00", "0.00", "promotional"]);
    await takeBack(bucket, again);
    await moveTo(client, bucket, "2031-06-01T01:00:00.000Z");
    const balances = (await ok(client.get(`${bucket}/customers/acme`))).balances;
    expect(balances).toEqual([{ currency: "EUR", amount: "1.00" }]);
  });
});
