/**
 * Nodes write concurrently, and a row may become visible after one with a higher number. It is awaited for this time.
 */
const settleMilliseconds = 3_000;

interface NumberedRow {
  seq: number;
}

/** Returns rows of a table as they become visible, each once. */
export class NewRows<Row extends NumberedRow> {
  /** All rows up to this number have been returned. */
  #floor = 0;
  readonly #seen = new Set<number>();
  /** The highest number at the time of earlier polls. */
  #marks: { at: number; seq: number }[] = [];

  private constructor(private readonly read: RowReader<Row>) {}

  static async from<Row extends NumberedRow>(read: RowReader<Row>): Promise<NewRows<Row>> {
    const rows = new NewRows(read);
    rows.#floor = await read.last();
    return rows;
  }

  async next(): Promise<Row[]> {
    const now = performance.now();
    const last = await this.read.last();
    const rows = await this.read.after(this.#floor);
    const fresh = rows.filter(({ seq }) => !this.#seen.has(seq));
    for (const { seq } of fresh) this.#seen.add(seq);
    const isFull = rows.length >= this.read.max;
    this.#marks.push({ at: now, seq: isFull ? rows.at(-1)!.seq : last });
    while (this.#marks.length > 0 && (isFull || now - this.#marks[0]!.at >= settleMilliseconds))
      this.#floor = Math.max(this.#floor, this.#marks.shift()!.seq);
    for (const seq of this.#seen) if (seq <= this.#floor) this.#seen.delete(seq);
    return fresh;
  }
}

interface RowReader<Row> {
  /** The highest number of all rows. */
  last(): Promise<number>;
  after(seq: number): Promise<Row[]>;
  /** The maximum number of rows that `after` returns. */
  max: number;
}
