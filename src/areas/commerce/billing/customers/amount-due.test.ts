import { expect, test } from "bun:test";
import { invoicesOf, monthly, moveTo, newTestBucket, ok, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client } = useServer(engine);

  test("customers are sorted by what they owe, which follows their invoices", async () => {
    await setProfile(client);
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    const euros = await createPlan(client, bucket, monthly("30.00"));
    const yen = await createPlan(client, bucket, monthly("100", "JPY"));
    const free = await createPlan(client, bucket, {});
    for (const [customerKey, plan] of [
      ["free-1", free],
      ["acme", euros],
      ["tokyo", yen],
      ["free-2", free],
      ["globex", euros],
    ] as const)
      await subscribe(client, bucket, [plan], { customerKey, subscriptionExternalId: customerKey });
    const listed = async (query = "") => {
      const { data, total } = await ok(client.get(`${bucket}/customers?sort=amountDue${query}`));
      expect(total).toBe(5);
      return data.map(({ customerKey }: { customerKey: string }) => customerKey);
    };
    // The currencies are not converted: 100 yen are more than 30 euros.
    expect(await listed()).toEqual(["tokyo", "acme", "globex", "free-1", "free-2"]);
    expect(await ok(client.get(`${bucket}/customers/tokyo`))).toMatchObject({
      amountDue: [{ currency: "JPY", amount: "100" }],
    });

    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    const [first] = await invoicesOf(client, bucket, "?customerKey=globex");
    await ok(client.post(`${bucket}/invoices/${first!.id}/$mark-paid`, {}));
    expect(await listed()).toEqual(["tokyo", "acme", "globex", "free-1", "free-2"]);
    const { data } = await ok(client.get(`${bucket}/customers?customerKeys=acme,globex,free-1`));
    expect(data.map(({ amountDue }: { amountDue?: object }) => amountDue)).toEqual([
      undefined,
      [{ currency: "EUR", amount: "60.00" }],
      [{ currency: "EUR", amount: "30.00" }],
    ]);
    for (const invoice of await invoicesOf(client, bucket, "?customerKey=tokyo"))
      await ok(client.post(`${bucket}/invoices/${invoice.id}/$void`, {}));
    expect(await listed()).toEqual(["acme", "globex", "free-1", "tokyo", "free-2"]);
    expect((await ok(client.get(`${bucket}/customers/tokyo`))).amountDue).toBeUndefined();
    expect([...(await listed("&limit=3")), ...(await listed("&limit=3&offset=3"))]).toEqual(await listed());
    expect(await listed("&limit=1&offset=1")).toEqual(["globex"]);
    expect(await listed("&offset=5")).toEqual([]);
  });

  test("a sort with other conditions, or too far, is rejected", async () => {
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    for (const [query, pointer] of [
      ["sort=name", "?sort"],
      ["sort=amountDue&customerKeys=acme", "?sort"],
      ["sort=amountDue&offset=10001", "?offset"],
    ]) {
      const { status, body } = await client.get(`${bucket}/customers?${query}`);
      expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer })]]);
    }
  });
});
