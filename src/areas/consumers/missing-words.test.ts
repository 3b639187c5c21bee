import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { useStorage } from "../../../test/support/storage.ts";
import { addMissingWords } from "./missing-words.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("words of consumers that an earlier release has written are added once, in batches", async () => {
    const { open } = storage;
    await open.write(async (transaction) => {
      await transaction.run(
        "INSERT INTO accounts (seq, id, name, version, created_on, updated_on) VALUES (7, 'acct_7', 'words', 1, 1, 1)",
        [],
      );
      await transaction.run(
        "INSERT INTO key_buckets (seq, id, account_seq, name, is_retrievable, key_prefix, version, created_on, updated_on) VALUES (7, 'kbkt_7', 7, 'main', 0, 'tg', 1, 1, 1)",
        [],
      );
      for (let index = 0; index < 450; index++)
        await transaction.run(
          `INSERT INTO consumers (id, bucket_seq, name, description, tags, version, created_on, updated_on)
            VALUES (?, 7, ?, 'Fabrikam Inc', '{"tier":"Gold"}', 3, 1, 1)`,
          [`csmr_${index}`, `earlier-${index}`],
        );
    });
    const words = () =>
      open.reads.all<{ word: string; consumers: number }>(
        "SELECT word, count(*) AS consumers FROM consumer_words WHERE bucket_seq = 7 GROUP BY word HAVING count(*) > 1 ORDER BY word",
        [],
      );
    expect(await words()).toEqual([]);
    await addMissingWords(open);
    const all = ["earlier", "fabrikam", "gold", "inc"].map((word) => ({ word, consumers: 450 }));
    expect((await words()).map(({ word, consumers }) => ({ word, consumers: Number(consumers) }))).toEqual(all);
    const left = await open.reads.one<{ total: number }>(
      "SELECT count(*) AS total FROM consumers WHERE words_version <> version",
      [],
    );
    expect(Number(left!.total)).toBe(0);
  });
});
