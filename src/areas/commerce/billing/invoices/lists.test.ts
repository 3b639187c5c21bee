import { expect, test } from "bun:test";
import { billed, monthly, ok, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const { client } = useServer(engine);

  test("invoices and customers of some customers are listed, page by page", async () => {
    await setProfile(client);
    const { bucket, plan } = await billed(client, "2031-01-01T00:00:00.000Z", monthly("30.00"));
    for (const customerKey of ["globex", "initech"])
      await subscribe(client, bucket, [plan], { customerKey, subscriptionExternalId: customerKey });
    for (const list of ["invoices", "customers"]) {
      const keysOf = async (query: string) => {
        const { data, total } = await ok(client.get(`${bucket}/${list}?${query}`));
        return [total, ...data.map(({ customerKey }: { customerKey: string }) => customerKey)];
      };
      expect(await keysOf("customerKeys=initech,acme,none")).toEqual([2, "acme", "initech"]);
      expect(await keysOf("customerKeys=initech,acme&limit=1&offset=1")).toEqual([2, "initech"]);
      expect(await keysOf("customerKeys=none")).toEqual([0]);
      const { status, body } = await client.get(`${bucket}/${list}?customerKeys=${"a,".repeat(100)}`);
      expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer: "?customerKeys" })]]);
    }
    expect(await ok(client.get(`${bucket}/invoices?customerKeys=acme,globex&status=paid`))).toMatchObject({ total: 0 });
  });
});
