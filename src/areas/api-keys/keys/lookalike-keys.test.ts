import { beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type KeyHolder, newKeyHolder, verdict } from "../../../../test/support/key-holder.ts";
import { KeyAccount } from "../../../../test/support/key-rules.ts";
import { useServer } from "../../../../test/support/server.ts";
import { useStorage } from "../../../../test/support/storage.ts";

const lookalike = "tg_0123456789abcdef0123456789abcdef_00000000";
const another = "sk_live_0123456789abcdef0123456789abcdef_11111111";

/** Every way in which a key can be supplied. */
const supplied: [what: string, supply: (client: Client, holder: KeyHolder) => Promise<{ status: number }>][] = [
  ["created", (client, { keys }) => client.post(keys, { key: lookalike })],
  ["created with others", (client, { keys }) => client.post(`${keys}/$bulk`, [{}, { key: lookalike }, {}])],
  [
    "created with a consumer",
    (client, { bucket }) => client.post(`${bucket}/consumers`, { name: "other", apiKeys: [{ key: lookalike }] }),
  ],
  [
    "set on a key",
    async (client, { keys }) => {
      const { id } = (await client.post(keys, {})).body;
      return client.patch(`${keys}/${id}`, { key: lookalike });
    },
  ],
];

eachEngine((engine) => {
  describe("a key in the generated format with another checksum", () => {
    const { client } = useServer(engine);

    test.each(supplied)("works when %s", async (_what, supply) => {
      const holder = await newKeyHolder(client);
      const revision = (await client.get(holder.bucket)).headers.get("etag");
      for (let round = 0; round < 2; round++) expect(await verdict(client, holder.bucket, lookalike)).toBe("malformed");
      expect((await supply(client, holder)).status).toBe(200);
      for (let round = 0; round < 3; round++) expect(await verdict(client, holder.bucket, lookalike)).toBe("valid");
      expect((await client.get(holder.bucket)).headers.get("etag")).toBe(revision);
    });

    test("is looked up in its bucket, and rejected by its checksum in all others", async () => {
      const holder = await newKeyHolder(client);
      const other = await newKeyHolder(client);
      await client.post(holder.keys, { key: lookalike });
      expect(await verdict(client, holder.bucket, another)).toBe("not_found");
      expect(await verdict(client, other.bucket, another)).toBe("malformed");
      expect(await verdict(client, other.bucket, lookalike)).toBe("malformed");
      expect(await verdict(client, `${other.bucket}-none`, lookalike)).toBe("malformed");
    });

    test("changes nothing if it is not stored", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const { key } = (await client.post(keys, {})).body;
      expectProblem(await client.post(`${keys}/$bulk`, [{ key: lookalike }, { key }]), 409, "key_exists");
      expect(await verdict(client, bucket, lookalike)).toBe("malformed");
    });

    test("stops when it is deleted", async () => {
      const { bucket, keys } = await newKeyHolder(client);
      const { id } = (await client.post(keys, { key: lookalike })).body;
      expect(await verdict(client, bucket, lookalike)).toBe("valid");
      await client.delete(`${keys}/${id}`);
      expect(await verdict(client, bucket, lookalike)).toBe("not_found");
    });
  });

  describe("what storage is queried for", () => {
    const storage = useStorage(engine);
    let one: KeyAccount;
    let other: KeyAccount;

    beforeAll(async () => {
      one = await KeyAccount.create(storage);
      other = await one.neighbour();
    });

    const verify = (account: KeyAccount, bucket: string, key: string) => {
      const { buckets } = account.verifier;
      return account.verifier.verify(buckets.place(account.account.seq, bucket), key, storage.clock.now());
    };

    test("not a key with a wrong checksum, once the bucket is known", async () => {
      const { key } = await one.consumer("main");
      await verify(one, "main", key);
      const { misses } = one.verifier.cache;
      expect(verify(one, "main", lookalike)).toMatchObject({ rejection: "malformed" });
      expect(one.verifier.cache.misses).toBe(misses);
    });

    test("nothing more if another client deletes a bucket or an account", async () => {
      const { key } = await one.consumer("main");
      await verify(one, "main", key);
      const { key: theirs } = await other.consumer("doomed");
      expect(await verify(other, "doomed", theirs)).toMatchObject({ rejection: undefined });
      await other.deleteKeyBucket("doomed");
      expect(verify(one, "main", key)).toMatchObject({ rejection: undefined });
      expect(await verify(other, "doomed", theirs)).toMatchObject({ rejection: "not_found" });
      await other.consumer("doomed");
      expect(await verify(other, "doomed", theirs)).toMatchObject({ rejection: "not_found" });

      await other.deleteAccount();
      expect(verify(one, "main", key)).toMatchObject({ rejection: undefined });
    });
  });
});
