import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import {
  consumerOperations,
  createWholeConsumer,
  send,
  stateOf,
} from "../../../../test/support/consumer-operations.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const wrongTags = ["tag.plan=silver", "tag.plan=gold&tag.seats=6", "tag.Plan=gold", "tag.plan=", "tag.other=gold"];
const rightTags = "tag.plan=gold&tag.seats=5";

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("without the tags it names, a consumer is missing to", () => {
    test.each(consumerOperations)("$what", async (operation) => {
      const bucket = newBucketPath();
      const consumer = await createWholeConsumer(client, bucket);
      const missing = await send(
        client,
        operation,
        operation.path({ ...consumer, path: `${bucket}/consumers/nobody` }),
      );
      expectProblem(missing, 404, "not_found");

      const before = await stateOf(client, bucket);
      for (const tags of wrongTags) {
        const rejected = await send(client, operation, `${operation.path(consumer)}?${tags}`);
        expectProblem(rejected, 404, "not_found");
        expect(rejected.body.detail).toBe(missing.body.detail);
      }
      expect(await stateOf(client, bucket)).toEqual(before);

      const done = await send(client, operation, `${operation.path(consumer)}?${rightTags}`);
      expect(done.status).toBe(done.text === "" ? 204 : 200);
      const isChange = operation.method !== "GET";
      expect(Bun.deepEquals(await stateOf(client, bucket), before)).toBe(!isChange);
    });
  });

  describe("a tag without a property is rejected by", () => {
    test.each(consumerOperations)("$what", async (operation) => {
      const bucket = newBucketPath();
      const consumer = await createWholeConsumer(client, bucket);
      const before = await stateOf(client, bucket);
      for (const [query, pointer] of [
        ["tag=plan%3Dgold", "?tag"],
        ["tag", "?tag"],
        ["tag.=gold", "?tag."],
        ["tag.plan=gold&tag=", "?tag"],
        ["TAG.plan=silver", "?TAG.plan"],
        ["tags.plan=silver", "?tags.plan"],
        ["tag%5Bplan%5D=silver", "?tag[plan]"],
        ["+tag.plan=silver", "? tag.plan"],
      ]) {
        const rejected = await send(client, operation, `${operation.path(consumer)}?${query}`);
        expectProblem(rejected, 400, "validation_failed", { pointer });
      }
      expect(await stateOf(client, bucket)).toEqual(before);
    });
  });

  test("an operation that takes no tags rejects them before it changes anything", async () => {
    const { bucket, keyId } = await createWholeConsumer(client, newBucketPath());
    const before = await stateOf(client, bucket);
    const problem = { pointer: "?tag.plan" };
    const rejections = [
      await client.delete(`${bucket}?force=true&tag.plan=silver`),
      await client.patch(`${bucket}?tag.plan=silver`, { description: "changed" }),
      await client.post(`${bucket}/keys/$delete?tag.plan=silver`, { ids: [keyId] }),
    ];
    for (const rejected of rejections) expectProblem(rejected, 400, "validation_failed", problem);
    const unnamed = await client.delete(`${bucket}?force=true&tag=plan`);
    expectProblem(unnamed, 400, "validation_failed", { pointer: "?tag" });
    expect(await stateOf(client, bucket)).toEqual(before);
  });

  test("a list and a creation reject a tag without a property too", async () => {
    const bucket = newBucketPath();
    const consumers = `${bucket}/consumers`;
    const problem = { pointer: "?tag" };
    expectProblem(await client.get(`${consumers}?tag=plan`), 400, "validation_failed", problem);
    expectProblem(await client.post(`${consumers}?tag=plan`, { name: "a" }), 400, "validation_failed", problem);
    expectProblem(await client.post(`${bucket}/verify-key?tag=plan`, { key: "x" }), 400, "validation_failed", problem);
    expectProblem(await client.get(bucket), 404, "not_found");
  });

  test("a creation is checked against the tags of the new consumer", async () => {
    const bucket = newBucketPath();
    const consumers = `${bucket}/consumers?tag.plan=gold&tag.seats=5`;
    for (const tags of [undefined, {}, { plan: "gold" }, { plan: "gold", seats: 50 }])
      expectProblem(await client.post(consumers, { name: "acme", tags }), 404, "not_found");
    expectProblem(await client.get(bucket), 404, "not_found");
    expect((await client.post(consumers, { name: "acme", tags: { plan: "gold", seats: 5 } })).status).toBe(200);
  });

  test("verify-key compares the tags with the consumer of a valid key", async () => {
    const { bucket, path } = await createWholeConsumer(client, newBucketPath());
    const { key } = (await client.post(`${path}/keys`, {})).body;
    for (const round of ["from storage", "from memory"]) {
      const rejected = await client.post(`${bucket}/verify-key?tag.plan=silver`, { key });
      expectProblem(rejected, 404, "not_found");
      const verified = await client.post(`${bucket}/verify-key?${rightTags}`, { key });
      expect({ round, valid: verified.body.valid }).toEqual({ round, valid: true });
    }
    const unknown = await client.post(`${bucket}/verify-key?tag.plan=silver`, { key: "nobody-has-this-key" });
    expect(unknown.body).toEqual({ valid: false, code: "not_found" });
  });

  test("an update is checked against the tags that were there, not to the new ones", async () => {
    const { path } = await createWholeConsumer(client, newBucketPath());
    expectProblem(await client.patch(`${path}?tag.plan=silver`, { tags: { plan: "silver" } }), 404, "not_found");
    expect((await client.patch(`${path}?tag.plan=gold`, { tags: { plan: "silver" } })).status).toBe(200);
    expectProblem(await client.patch(`${path}?tag.plan=gold`, { tags: {} }), 404, "not_found");
    expect((await client.get(`${path}?tag.plan=silver`)).status).toBe(200);
  });

  test("of ten at once that expect a tag and take it away, one finds it", async () => {
    const { path } = await createWholeConsumer(client, newBucketPath());
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.patch(`${path}?tag.plan=gold`, { tags: { taken: index } })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(404)]);
  });
});
