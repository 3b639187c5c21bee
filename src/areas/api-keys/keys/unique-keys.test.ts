import { describe, expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { strangerOf } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type KeyHolder, newKeyHolder, stateOfKeys, verdict, verify } from "../../../../test/support/key-holder.ts";
import { useServer } from "../../../../test/support/server.ts";

const value = "a-key-of-my-own-making";

eachEngine((engine) => {
  const { client } = useServer(engine);

  describe("a value that is taken in the bucket is rejected, and nothing made, by", () => {
    test.each([
      ["create", (keys: string) => client.post(keys, { key: value })],
      ["bulk", (keys: string) => client.post(`${keys}/$bulk`, [{}, { key: value }, {}])],
    ])("%s", async (_name, create) => {
      const first = await newKeyHolder(client);
      const second = await newKeyHolder(client, { bucket: first.bucket, name: "second" });
      const owner = await client.post(first.keys, { key: value });
      for (const holder of [first, second]) {
        const before = await stateOfKeys(client, holder);
        expectProblem(await create(holder.keys), 409, "key_exists");
        expect(await stateOfKeys(client, holder)).toEqual(before);
      }
      expect((await verify(client, first.bucket, value)).body).toMatchObject({ keyId: owner.body.id });
    });

    test("an update to a value that is taken is rejected", async () => {
      const holder = await newKeyHolder(client);
      await client.post(holder.keys, { key: value });
      const other = await client.post(holder.keys, {});
      const before = await stateOfKeys(client, holder);
      expectProblem(await client.patch(`${holder.keys}/${other.body.id}`, { key: value }), 409, "key_exists");
      expect(await stateOfKeys(client, holder)).toEqual(before);
      expect(await verdict(client, holder.bucket, other.body.key)).toBe("valid");
    });

    test("create with a consumer: neither is made", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      await client.post(keys, { key: value });
      const response = await client.post(`${bucket}/consumers`, { name: "second", apiKeys: [{}, { key: value }] });
      expectProblem(response, 409, "key_exists");
      expectProblem(await client.get(`${bucket}/consumers/second`), 404, "not_found");
      expect((await client.get(`${bucket}/consumers`)).body.total).toBe(1);
    });
  });

  test("an expired key still reserves its value; a deleted or changed one does not", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const { body: key } = await client.post(keys, { key: value, expiresOn: "2020-01-01T00:00:00Z" });
    expectProblem(await client.post(keys, { key: value }), 409, "key_exists");

    await client.patch(`${keys}/${key.id}`, { key: "another-key-of-mine" });
    const taken = await client.post(keys, { key: value });
    expect((await verify(client, bucket, value)).body).toMatchObject({ valid: true, keyId: taken.body.id });

    await client.delete(`${keys}/${taken.body.id}`);
    expect(await verdict(client, bucket, value)).toBe("not_found");
    const again = await client.post(keys, { key: value });
    expect((await verify(client, bucket, value)).body).toMatchObject({ valid: true, keyId: again.body.id });
  });

  test("a key keeps its own value when that is given again", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const { body: key } = await client.post(keys, { key: value });
    expect((await client.patch(`${keys}/${key.id}`, { key: value, description: "same" })).status).toBe(200);
    expect(await verdict(client, bucket, value)).toBe("valid");
  });

  test("the same value in two buckets is two keys, each valid in its bucket", async () => {
    const one = await newKeyHolder(client, { name: "one", metadata: { of: "one" } });
    const two = await newKeyHolder(client, { name: "two", metadata: { of: "two" } });
    const keyOfOne = (await client.post(one.keys, { key: value })).body;
    const keyOfTwo = (await client.post(two.keys, { key: value })).body;
    // Alternating, so that a cached result of one is followed by a look-up of the other.
    for (let round = 0; round < 3; round++) {
      expect((await verify(client, one.bucket, value)).body).toMatchObject({
        keyId: keyOfOne.id,
        user: { sub: "one", data: { of: "one" } },
      });
      expect((await verify(client, two.bucket, value)).body).toMatchObject({
        keyId: keyOfTwo.id,
        user: { sub: "two", data: { of: "two" } },
      });
    }
    await client.delete(`${one.keys}/${keyOfOne.id}`);
    expect(await verdict(client, one.bucket, value)).toBe("not_found");
    expect(await verdict(client, two.bucket, value)).toBe("valid");
  });

  test("the same value in two accounts, in buckets of one name, is two keys", async () => {
    const stranger = await strangerOf(client, "stranger");
    const ours = await newKeyHolder(client, { name: "ours" });
    const theirs = await newKeyHolder(stranger, {
      bucket: ours.bucket.replace("/default/", "/stranger/"),
      name: "theirs",
    });
    await client.post(ours.keys, { key: value });
    await stranger.post(theirs.keys, { key: value });
    expect((await verify(client, ours.bucket, value)).body).toMatchObject({ user: { sub: "ours" } });
    expect((await verify(stranger, theirs.bucket, value)).body).toMatchObject({ user: { sub: "theirs" } });
  });

  test("of 20 creates of one value at once, one wins", async () => {
    const bucket = newBucketPath();
    const holders: KeyHolder[] = [];
    for (const name of ["one", "two", "three", "four"]) holders.push(await newKeyHolder(client, { bucket, name }));
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.post(holders[index % 4]!.keys, { key: value })),
    );
    const [winner, ...others] = responses.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    for (const loser of responses.filter((response) => response !== winner)) expectProblem(loser, 409, "key_exists");
    expect((await verify(client, bucket, value)).body).toMatchObject({ keyId: winner!.body.id });
    const totals = await Promise.all(holders.map(async ({ keys }) => (await client.get(keys)).body.total));
    expect(totals.reduce((sum, total) => sum + total)).toBe(1);
  });

  test("of 10 keys that are changed to one value at once, one is", async () => {
    const { bucket, keys } = await newKeyHolder(client);
    const made = (
      await client.post(
        `${keys}/$bulk`,
        Array.from({ length: 10 }, () => ({})),
      )
    ).body.data;
    const responses = await Promise.all(
      made.map(({ id }: { id: string }) => client.patch(`${keys}/${id}`, { key: value })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    const verdicts = await Promise.all(made.map(({ key }: { key: string }) => verdict(client, bucket, key)));
    expect(verdicts.toSorted()).toEqual(["not_found", ...Array(9).fill("valid")]);
  });
});
