import type { WriteTransaction } from "./storage.ts";

/** A batch is identified by the process that writes it and a number, which increases. */
export interface BatchId {
  writer: string;
  number: number;
}

/** Returns false if the batch with that number is already written. */
export async function claimBatch(
  transaction: WriteTransaction,
  writer: string,
  number: number,
  now: number,
): Promise<boolean> {
  return (await claimBatches(transaction, [{ writer, number }], now)).length > 0;
}

const claim = (batches: number) => `INSERT INTO written_batches (writer, number, written_on)
  VALUES ${Array(batches).fill("(?, ?, ?)").join(", ")}
  ON CONFLICT (writer) DO UPDATE SET number = excluded.number, written_on = excluded.written_on
  WHERE written_batches.number < excluded.number RETURNING writer`;

/** Returns the batches that are not written already, each once. */
export async function claimBatches<Batch extends BatchId>(
  transaction: WriteTransaction,
  batches: readonly Batch[],
  now: number,
): Promise<Batch[]> {
  const claimed: Batch[] = [];
  let rest = batches.toSorted((one, other) => one.number - other.number);
  while (rest.length > 0) {
    // A statement must not contain a writer twice. Further batches of a writer are claimed after its first one.
    const first = new Map<string, Batch>();
    for (const batch of rest) if (!first.has(batch.writer)) first.set(batch.writer, batch);
    rest = rest.filter((batch) => first.get(batch.writer) !== batch);
    const parameters = [...first.values()].flatMap(({ writer, number }) => [writer, number, now]);
    const rows = await transaction.all<{ writer: string }>(claim(first.size), parameters);
    for (const { writer } of rows) claimed.push(first.get(writer)!);
  }
  return claimed;
}
