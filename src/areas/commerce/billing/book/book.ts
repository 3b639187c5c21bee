import { Slice } from "../../../../lib/tasks/slices.ts";
import type { Change } from "../../../../platform/storage/change.ts";
import type { History } from "../../../../platform/storage/history.ts";
import { allWith } from "../../../../platform/storage/query.ts";
import {
  type ColumnType,
  type MemoryTransaction,
  maxSeq,
  type Reads,
  type Storage,
  type WriteTransaction,
} from "../../../../platform/storage/storage.ts";
import type { RowOf, TableName } from "../../../../platform/storage/tables.ts";
import { tablesOfProviders } from "../payments/providers.ts";
import { type BookOwners, loadBook, loadBookToSave, tablesToDiscard, tablesToSave } from "./book-store.ts";

/**
 * Runs work on the book of customers: a copy in memory of all that is billed to them, as it is at one time. What the work
 * writes there is discarded, so that it computes what a request or time would do without waiting for others, or delaying
 * them. It lacks the usage of at most the last flush interval.
 * @param history for what may be some seconds old, and not all of one time: a replica. The work may run twice
 */
export function onBook<Result>(
  storage: Storage,
  owners: BookOwners,
  work: (book: MemoryTransaction) => Promise<Result>,
  history?: History,
): Promise<Result> {
  const ofProviders = tablesOfProviders();
  const from = (load: (book: MemoryTransaction) => Promise<void>) =>
    storage.inMemory(tablesToDiscard(ofProviders, owners), async (book) => {
      await load(book);
      return work(book);
    });
  if (history?.status()?.isUsed)
    return history.read((reads) => from((book) => loadBook(reads, book, owners, ofProviders)));
  return from((book) => storage.snapshot((reads) => loadBook(reads, book, owners, ofProviders)));
}

/**
 * Runs work on the book of customers whose locks the transaction holds, and saves what it wrote. The work must not need more:
 * usage of hours and events is missing, and nothing counts in memory, or stops counting.
 */
export function savingBook(
  storage: Storage,
  transaction: WriteTransaction,
  owners: BookOwners,
  work: (book: MemoryTransaction) => Promise<void>,
): Promise<void> {
  const ofProviders = tablesOfProviders();
  const tables = tablesToSave(ofProviders);
  return storage.inMemory(tables, async (book) => {
    await loadBookToSave(transaction, book, owners, ofProviders);
    // The comparison of usage with credits locks counters, which changes only their versions.
    const changing = tables.filter((table) => table !== "usage_counters");
    const loaded = await rowsOf(book, changing);
    const recorded: Change[] = [];
    const part: MemoryTransaction["part"] = ({ counts, onEnd }, inner) =>
      book.part({ counts, onEnd, record: (change) => recorded.push(change) }, inner);
    await work({ ...book, part });
    const numbers = await takeNumbers(book, transaction);
    await saveBook(book, loaded, numbers, transaction);
    for (const change of recorded) transaction.record(withNumbers(change, numbers));
  });
}

type Row = Record<string, unknown>;
type Rows = Map<TableName, Row[]>;

/** The columns with the numbers of rows that billing creates. */
const created: Record<string, TableName> = {
  rollover_seq: "rollovers",
  grant_seq: "grants",
  invoice_seq: "invoices",
  segment_seq: "billing_segments",
  subscription_seq: "subscriptions",
};

/** All rows of a book. */
async function rowsOf(book: Reads, tables: TableName[]): Promise<Rows> {
  const rows: Rows = new Map();
  for (const table of tables) rows.set(table, await book.all<Row>(`SELECT * FROM ${table}`, []));
  return rows;
}

/**
 * Writes what differs from the rows that were loaded into a book, with at most three statements for each table. Throws if
 * another transaction has changed one of these rows in the meantime: the lock of the customer prevents that, but for rows
 * that are changed without it.
 */
async function saveBook(
  book: Reads,
  loaded: Rows,
  numbers: ReadonlyMap<unknown, string>,
  transaction: WriteTransaction,
): Promise<void> {
  const seqs = new Map<string, number>();
  const withSeqs = (row: Row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, seqOf(name, value)]));
  const seqOf = (name: string, value: unknown) => {
    if (name === "number") return numbers.get(value) ?? value;
    if (!name.endsWith("_seq") || (value as number) <= maxSeq) return value;
    const seq = seqs.get(`${created[name]} ${value}`);
    if (seq === undefined) throw new Error(`${name} refers to a row that is not saved`);
    return seq;
  };
  const slice = new Slice();
  for (const [table, before] of loaded) {
    const shape = await shapeOf(book, table);
    const former = new Map(before.map((row) => [shape.keyOf(row), row]));
    const added: Row[] = [];
    const changed: Changed[] = [];
    for (const row of (await rowsOf(book, [table])).get(table)!) {
      const old = former.get(shape.keyOf(row));
      former.delete(shape.keyOf(row));
      if (!old) added.push(row);
      else if (!Bun.deepEquals(old, row)) changed.push({ old, row: withSeqs(row) });
    }
    if (slice.isOver) await slice.next();
    await remove(transaction, table, shape, [...former.values()]);
    await update(transaction, table, shape, changed);
    const wanted = table === "mails" ? await notQueued(transaction, added) : added;
    if (wanted.length === 0) continue;
    const rows = wanted.map(({ seq: _, ...row }) => withSeqs(row));
    const inserted = await transaction.insertAll(table, rows as never);
    if (shape.key[0] === "seq")
      for (const [index, { seq }] of wanted.entries()) seqs.set(`${table} ${seq}`, inserted[index]!);
  }
}

/**
 * Replaces the numbers that a book gave to invoices: the series of an account are locked only while its rows are saved.
 * Returns the stored numbers by those of the book.
 */
async function takeNumbers(book: WriteTransaction, transaction: WriteTransaction): Promise<Map<unknown, string>> {
  const numbers = new Map<unknown, string>();
  const given = "SELECT account_seq, series, last FROM number_series WHERE last > ? ORDER BY series";
  for (const { account_seq, series, last } of await book.all<RowOf<"number_series">>(given, [maxSeq])) {
    const count = last - maxSeq;
    const taken = await transaction.one<{ last: number }>(
      "UPDATE number_series SET last = last + ? WHERE account_seq = ? AND series = ? RETURNING last",
      [count, account_seq, series],
    );
    for (let index = 0; index < count; index += 1)
      numbers.set(numberIn(series, last - index), numberIn(series, taken!.last - index));
  }
  await book.run("UPDATE number_series SET last = ? WHERE last > ?", [maxSeq, maxSeq]);
  return numbers;
}

/** The number of an invoice. */
export function numberIn(series: string, number: number): string {
  return series + String(number).padStart(6, "0");
}

/** What was recorded in a book, with the stored numbers. */
function withNumbers<Value>(value: Value, numbers: ReadonlyMap<unknown, string>): Value {
  if (typeof value !== "object" || value === null) return (numbers.get(value) ?? value) as Value;
  if (Array.isArray(value)) return value.map((each) => withNumbers(each, numbers)) as Value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withNumbers(each, numbers)])) as Value;
}

interface Changed {
  old: Row;
  row: Row;
}

interface Shape {
  /** The names of the primary key. */
  key: string[];
  keyOf(row: Row): string;
  typeOf(column: string): ColumnType;
}

const types: Record<string, ColumnType> = { integer: "bigint", text: "text", blob: "bytea" };

async function shapeOf(book: Reads, table: TableName): Promise<Shape> {
  const columns = await book.all<{ name: string; type: string; pk: number }>(
    "SELECT name, lower(type) AS type, pk FROM pragma_table_info(?)",
    [table],
  );
  const byName = new Map(columns.map(({ name, type }) => [name, types[type]!]));
  const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
  return { key, keyOf: (row) => JSON.stringify(key.map((name) => row[name])), typeOf: (name) => byName.get(name)! };
}

async function remove(transaction: WriteTransaction, table: TableName, shape: Shape, rows: Row[]): Promise<void> {
  const keys = rows.map((row) => shape.key.map((name) => row[name]));
  await writeAll(transaction, shape.key.map(shape.typeOf), keys, (removed) => {
    const values = shape.key.map((_, index) => `column${index + 1}`).join(", ");
    return `DELETE FROM ${table} WHERE (${shape.key.join(", ")}) IN (SELECT ${values} FROM ${removed} AS removed)`;
  });
}

/** Changes the columns that differ, in rows whose columns are as they were. */
async function update(transaction: WriteTransaction, table: TableName, shape: Shape, rows: Changed[]): Promise<void> {
  const differing = ({ old, row }: Changed) => Object.keys(row).filter((name) => !Bun.deepEquals(old[name], row[name]));
  const columns = [...new Set(rows.flatMap(differing))].sort();
  const values = rows.map(({ old, row }) => [
    ...shape.key.map((name) => old[name]),
    ...columns.flatMap((name) => [old[name], row[name]]),
  ]);
  const valueTypes = [...shape.key, ...columns.flatMap((name) => [name, name])].map(shape.typeOf);
  await writeAll(transaction, valueTypes, values, (changes) => {
    const keys = shape.key.map((name, index) => `${table}.${name} = column${index + 1}`);
    const place = (index: number) => shape.key.length + 2 * index + 1;
    const sets = columns.map((name, index) => `${name} = column${place(index) + 1}`);
    const same = columns.map((name, index) => `${table}.${name} IS NOT DISTINCT FROM column${place(index)}`);
    return `UPDATE ${table} SET ${sets.join(", ")} FROM ${changes} AS changes WHERE ${[...keys, ...same].join(" AND ")}`;
  });
}

async function writeAll(
  transaction: WriteTransaction,
  valueTypes: ColumnType[],
  rows: unknown[][],
  statementOf: (rows: string) => string,
): Promise<void> {
  const written = await allWith(
    transaction,
    valueTypes,
    rows,
    (table) => `${statementOf(table)} RETURNING 1 AS written`,
  );
  if (written.length < rows.length) throw new Error("What was billed has changed in the meantime");
}

/** A mail about something is queued once. */
async function notQueued(transaction: WriteTransaction, rows: Row[]): Promise<Row[]> {
  const keyOf = ({ kind, subject_id }: Row) => `${kind} ${subject_id}`;
  const queued = await allWith<Row>(
    transaction,
    ["text", "text"],
    rows.map(({ kind, subject_id }) => [kind, subject_id]),
    (subjects) =>
      `SELECT kind, subject_id FROM mails WHERE (kind, subject_id) IN (SELECT column1, column2 FROM ${subjects} AS subjects)`,
  );
  const known = new Set(queued.map(keyOf));
  return rows.filter((row) => !known.has(keyOf(row)));
}
