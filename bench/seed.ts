import { Database, type SQLQueryBindings } from "bun:sqlite";
import { hash } from "node:crypto";
import { taggedKeyList, tagList } from "../src/areas/api-keys/consumer-addresses/consumer-tags.ts";
import { wordsOfConsumer } from "../src/areas/api-keys/consumers/search-words.ts";
import { newId } from "../src/lib/ids.ts";
import { generateKey } from "./generated-key.ts";
import { consumerName, consumerTags } from "./seeded-consumers.ts";

type StoredRow = Record<string, SQLQueryBindings>;

/** When 500 of the keys were last used. */
const longAgo = Date.parse("2019-01-01T00:00:00Z");

/** The name of the counted list of a bucket's keys. */
const keyList = "keys";

/** How the server counts its lists, see counted-lists.ts; `lists` notices when this is no longer so. */
const seqsPerBlock = 4_096;

/**
 * Replaces the only consumer of a stopped server's database by as many as wanted, each made like it, and
 * returns their keys. The sealed values stay those of the first: verifying never opens them.
 */
export function seedDatabase(file: string, count: number): string[] {
  const database = new Database(file);
  // Nothing here must survive a crash, and random hashes need their whole index at hand.
  database.run("PRAGMA synchronous = OFF");
  database.run("PRAGMA journal_mode = MEMORY");
  database.run("PRAGMA cache_size = -1000000");
  const consumer = onlyRow(database, "consumers");
  const key = onlyRow(database, "api_keys");
  const bucket = onlyRow(database, "key_buckets");
  database.run("DELETE FROM consumer_tags");
  database.run("DELETE FROM consumer_words");
  database.run("DELETE FROM api_keys");
  database.run("DELETE FROM consumers");
  database.run("DELETE FROM list_blocks");
  const insertConsumer = inserter(database, "consumers", consumer);
  const insertKey = inserter(database, "api_keys", key);
  const insertTag = database.prepare(
    "INSERT INTO consumer_tags (bucket_seq, name, value, consumer_seq) VALUES (?, ?, ?, ?)",
  );
  const insertWord = database.prepare("INSERT INTO consumer_words (bucket_seq, word, consumer_seq) VALUES (?, ?, ?)");
  const counts = new ListCounts();
  const createdOn = Number(consumer.created_on);
  const keys: string[] = [];
  database.run("BEGIN");
  for (let index = 0; index < count; index++) {
    const seq = index + 1;
    const tags = consumerTags(index, count);
    const value = generateKey(String(bucket.key_prefix));
    keys.push(value);
    insertConsumer({
      seq,
      id: newId("csmr", createdOn),
      name: consumerName(index),
      tags: JSON.stringify(tags),
    });
    insertKey({
      seq,
      id: newId("key", createdOn),
      consumer_seq: seq,
      hash: hash("sha256", value, "buffer"),
      suffix: value.slice(-String(key.suffix).length),
      last_used_on: index % (count / 500) === 0 ? longAgo : createdOn,
    });
    const described = { name: consumerName(index), display_name: null, description: null, tags: JSON.stringify(tags) };
    for (const word of wordsOfConsumer(described)) insertWord.run(bucket.seq!, word, seq);
    counts.add("", seq);
    counts.add(keyList, seq);
    for (const [name, tag] of Object.entries(tags)) {
      insertTag.run(bucket.seq!, name, tag, seq);
      counts.add(tagList({ name, value: tag }), seq);
      counts.add(taggedKeyList({ name, value: tag }), seq);
    }
  }
  counts.insert(database, String(bucket.id));
  database.run("COMMIT");
  database.close();
  return keys;
}

function onlyRow(database: Database, table: string): StoredRow {
  return database.query<StoredRow, []>(`SELECT * FROM ${table}`).get()!;
}

/** Inserts copies of a row with some of its columns changed. */
function inserter(database: Database, table: string, original: StoredRow): (changed: StoredRow) => void {
  const columns = Object.keys(original);
  const placeholders = columns.map(() => "?").join(", ");
  const statement = database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${placeholders})`);
  return (changed) => {
    statement.run(...columns.map((column) => (changed[column] === undefined ? original[column]! : changed[column])));
  };
}

class ListCounts {
  readonly #sizes = new Map<string, Map<number, number>>();

  add(list: string, seq: number): void {
    const blocks = this.#sizes.getOrInsertComputed(list, () => new Map());
    const block = Math.floor(seq / seqsPerBlock);
    blocks.set(block, (blocks.get(block) ?? 0) + 1);
  }

  insert(database: Database, scope: string): void {
    const statement = database.prepare(
      "INSERT INTO list_blocks (scope, list, block, shard, size) VALUES (?, ?, ?, 0, ?)",
    );
    for (const [list, blocks] of this.#sizes) {
      for (const [block, size] of blocks) statement.run(scope, list, block, size);
    }
  }
}
