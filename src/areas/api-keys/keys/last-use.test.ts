import { beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { KeyAccount } from "../../../../test/support/key-rules.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { periodMilliseconds } from "./key-use-store.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);
  const { clock } = storage;
  let account: KeyAccount;

  beforeAll(async () => {
    account = await KeyAccount.create(storage);
  });

  const use = (key: string, node = account) =>
    node.verifier.verify(node.verifier.buckets.place(node.account.seq, "main"), key, clock.now());

  test("a use is stored within a minute, and many uses are one write", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    expect(await account.lastUsedOn(consumer, keyId)).toBeNull();
    const first = clock.now();
    await use(key);
    await account.verifier.uses.save();
    expect(await account.lastUsedOn(consumer, keyId)).toBe(first);

    for (let second = 0; second < 600; second++) {
      clock.advance(1000);
      await use(key);
      if (second % 10 === 0) {
        expect(account.verifier.uses.size).toBeLessThanOrEqual(1);
        await account.verifier.uses.save();
        expect(clock.now() - (await account.lastUsedOn(consumer, keyId))!).toBeLessThan(50_000);
      }
    }
  });

  test("the last use of an invalid key does not change", async () => {
    const { consumer, keyId, key } = await account.consumer("main", { isEnabled: false });
    for (let round = 0; round < 3; round++) await use(key);
    await account.verifier.uses.save();
    expect(await account.lastUsedOn(consumer, keyId)).toBeNull();
  });

  test("of several nodes the latest use counts, in whatever order they write", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    const other = await account.otherNode();
    await use(key, other);
    clock.advance(5000);
    const latest = clock.now();
    await use(key);
    await account.verifier.uses.save();
    await other.verifier.uses.save();
    expect(await account.lastUsedOn(consumer, keyId)).toBe(latest);
  });

  test("a node writes the row of a key once in a period, and never if another did before it read the key", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    const rowTime = async () =>
      (await storage.open.reads.one<{ time: number | null }>(
        "SELECT last_used_on AS time FROM api_keys WHERE consumer_seq = ? AND id = ?",
        [consumer.seq, keyId],
      ))!.time;
    const rowTimes = new Set<number | null>();
    const minutes = (2 * periodMilliseconds) / 60_000;
    for (let minute = 0; minute < minutes; minute++) {
      const node = minute % 10 === 0 ? await account.otherNode() : account;
      await use(key, node);
      await node.verifier.uses.save();
      expect(await account.lastUsedOn(consumer, keyId)).toBe(clock.now());
      const written = (await rowTime())!;
      expect(clock.now() - written).toBeLessThan(periodMilliseconds);
      rowTimes.add(written);
      clock.advance(60_000);
    }
    // Twice the length of a period overlaps three periods, and two nodes may begin each of them.
    expect(rowTimes.size).toBeLessThanOrEqual(6);
  });

  test("of later uses in a period the latest counts, in whatever order nodes write", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    const other = await account.otherNode();
    for (const node of [account, other]) {
      await use(key, node);
      await node.verifier.uses.save();
    }
    clock.advance(60_000);
    await use(key, other);
    clock.advance(1000);
    await use(key);
    const latest = clock.now();
    await account.verifier.uses.save();
    await other.verifier.uses.save();
    expect(await account.lastUsedOn(consumer, keyId)).toBe(latest);
  });

  test("a key does not inherit the last use of a deleted key with the same number", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    await use(key);
    await account.verifier.uses.save();
    clock.advance(60_000);
    await use(key);
    await account.verifier.uses.save();
    const { seq } = await account.keyRow(consumer, keyId);
    // Noted before, and written after another key got the number.
    clock.advance(periodMilliseconds);
    await use(key);
    await account.deleteKey(consumer, keyId);
    const next = await account.consumer("main");
    await storage.open.write((transaction) =>
      transaction.run("UPDATE api_keys SET seq = ? WHERE consumer_seq = ?", [seq, next.consumer.seq]),
    );
    await account.verifier.uses.save();
    expect(await account.lastUsedOn(next.consumer, next.keyId)).toBeNull();
    clock.advance(1000);
    await use(next.key);
    await account.verifier.uses.save();
    expect(await account.lastUsedOn(next.consumer, next.keyId)).toBe(clock.now());
  });

  test("a use changes neither version nor updatedOn, and a new value keeps it", async () => {
    const { consumer, keyId, key } = await account.consumer("main");
    const before = await account.keyRow(consumer, keyId);
    clock.advance(1000);
    await use(key);
    await account.verifier.uses.save();
    const after = await account.keyRow(consumer, keyId);
    expect(after).toEqual({ ...before, last_used_on: clock.now() });
    await account.updateKey(consumer, keyId, { key: "another-value-of-this-key" });
    expect(await account.lastUsedOn(consumer, keyId)).toBe(clock.now());
  });

  test("uses of many keys are written in groups, and kept if storage is unavailable", async () => {
    const keys = [];
    for (let index = 0; index < 75; index++) keys.push(await account.consumer("main"));
    for (const { key } of keys) await use(key);
    expect(account.verifier.uses.size).toBe(75);
    await account.verifier.uses.save();
    expect(account.verifier.uses.size).toBe(0);
    for (const { consumer, keyId } of keys) expect(await account.lastUsedOn(consumer, keyId)).toBe(clock.now());
  });
});
