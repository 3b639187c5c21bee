import { beforeAll, describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useServer } from "../../../../test/support/server.ts";

const sevenDays = 7 * 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  describe("manager-email finds", () => {
    const consumers = `${newBucketPath()}/consumers`;

    beforeAll(async () => {
      const created: object[] = [
        { name: "managed", managers: [{ sub: "1", email: "Jo@Acme.Example" }], tags: { plan: "gold" } },
        {
          name: "others",
          managers: [{ sub: "1", email: "kim@acme.example" }, "joe@acme.example"],
          tags: { plan: "gold" },
        },
        { name: "invited", managers: ["jo@ACME.example", { sub: "2" }], tags: { plan: "gold", seats: 5 } },
        { name: "nobody" },
        {
          name: "both",
          managers: ["JO@acme.example", { sub: "1", email: "jo@acme.EXAMPLE" }, { sub: "2", email: "jo@acme.example" }],
        },
        { name: "plus", managers: ["jo+keys@acme.example"] },
      ];
      for (const consumer of created) expect((await client.post(consumers, consumer)).status).toBe(200);
      await client.post(`${newBucketPath()}/consumers`, { name: "elsewhere", managers: ["jo@acme.example"] });
    });

    test.each([
      ["manager-email=jo@acme.example", ["managed", "invited", "both"]],
      ["manager-email=JO@ACME.EXAMPLE", ["managed", "invited", "both"]],
      ["manager-email=kim@acme.example", ["others"]],
      ["manager-email=joe@acme.example", ["others"]],
      ["manager-email=jo%2Bkeys@acme.example", ["plus"]],
      ["manager-email=jo@acme.example&tag.plan=gold", ["managed", "invited"]],
      ["manager-email=jo@acme.example&tag.plan=gold&tag.seats=5", ["invited"]],
      ["manager-email=jo@acme.example&tag.plan=silver", []],
      ["manager-email=nobody@acme.example", []],
      ["manager-email=jo@acme", []],
      ["manager-email=%25", []],
      ["manager-email=", []],
    ])("%s: %j", async (query, expected) => {
      const list = await client.get(`${consumers}?${query}`);
      expect(names(list.body)).toEqual(expected);
      expect(list.body.total).toBe(expected.length);
    });

    test("the same on pages of any size", async () => {
      for (const limit of [1, 2, 3]) {
        const seen: string[] = [];
        for (let offset = 0; offset < 3; offset += limit) {
          const { body } = await client.get(
            `${consumers}?manager-email=jo@acme.example&limit=${limit}&offset=${offset}`,
          );
          expect(body.total).toBe(3);
          seen.push(...names(body));
        }
        expect(seen).toEqual(["managed", "invited", "both"]);
      }
    });
  });

  test("it follows every change of managers and invites", async () => {
    const consumers = `${newBucketPath()}/consumers`;
    const isFound = async () => (await client.get(`${consumers}?manager-email=Jo@acme.example`)).body.total === 1;
    await client.post(consumers, { name: "acme" });
    expect(await isFound()).toBe(false);

    const invite = await client.post(`${consumers}/acme/manager-invites`, { email: "jo@acme.example" });
    expect(await isFound()).toBe(true);
    await client.delete(`${consumers}/acme/manager-invites/${invite.body.id}`);
    expect(await isFound()).toBe(false);

    const second = await client.post(`${consumers}/acme/manager-invites`, { email: "JO@acme.example" });
    const accepted = await client.post(`${consumers}/acme/manager-invites/${second.body.id}/accept`, { sub: "1" });
    expect(await isFound()).toBe(true);
    await client.delete(`${consumers}/acme/managers/${accepted.body.id}`);
    expect(await isFound()).toBe(false);

    await client.post(`${consumers}/acme/managers`, { sub: "1", email: "jo@Acme.Example" });
    expect(await isFound()).toBe(true);
    clock.advance(2 * sevenDays);
    expect(await isFound()).toBe(true);
    await client.delete(`${consumers}/acme`);
    expect(await isFound()).toBe(false);
  });
});

function names(body: { data: { name: string }[] }): string[] {
  return body.data.map(({ name }) => name);
}
