import { holdsData } from "../data-directory/backup.ts";
import { lockDirectory } from "../data-directory/data-directory.ts";
import { type MovedRow, type MovedTable, MoveSource } from "./move-source.ts";
import { keyOf, MoveTarget, type TargetOptions } from "./move-target.ts";

/** Bounds the memory of a batch. */
const defaultBatch = { rows: 1000, characters: 4_000_000 };

interface MoveProgress {
  phase: "copy" | "verify";
  table: string;
  done: number;
  total: number;
}

export interface MoveOptions extends TargetOptions {
  directory: string;
  onProgress(progress: MoveProgress): void;
  /** An interrupted move is continued, or started over because the source has changed since. */
  onResumed?(how: "resumed" | "restarted"): void;
  batch?: typeof defaultBatch;
}

export interface MoveResult {
  tables: number;
  rows: number;
}

/**
 * Copies an embedded installation to PostgreSQL and compares every row. The source is not changed. An interrupted move
 * can be run again and continues. Throws while a server uses the data directory, and if the target contains other data.
 */
export async function moveToPostgres(options: MoveOptions): Promise<MoveResult> {
  const { directory, now } = options;
  if (!holdsData(directory)) throw new Error(`There is no embedded server's database in ${directory}.`);
  const lock = lockDirectory(directory);
  try {
    const source = new MoveSource(directory, options.migrations, now);
    try {
      const target = await MoveTarget.open(options, source.id, source.tables);
      try {
        await new Move(source, target, options).run();
        return { tables: source.tables.length, rows: source.tables.reduce((sum, { rows }) => sum + rows, 0) };
      } finally {
        await target.close();
      }
    } finally {
      source.close();
    }
  } finally {
    lock.release();
  }
}

/** The target differs from the current source. */
class SourceChanged extends Error {}

class Move {
  #isResumed = false;

  constructor(
    private readonly source: MoveSource,
    private readonly target: MoveTarget,
    private readonly options: MoveOptions,
  ) {}

  async run(): Promise<void> {
    const { tables } = this.source;
    try {
      await this.#copyAll();
    } catch (error) {
      if (!(error instanceof SourceChanged)) throw error;
      this.options.onResumed?.("restarted");
      await this.target.removeAll(tables);
      await this.#copyAll();
    }
    for (const table of tables) await this.target.setSequence(table);
    for (const table of tables) await this.#verify(table);
    await this.target.finish();
  }

  async #copyAll(): Promise<void> {
    for (const table of this.source.tables) await this.#copy(table);
  }

  async #copy(table: MovedTable): Promise<void> {
    const isEmpty = await this.target.isEmpty(table.name);
    if (!isEmpty && !this.#isResumed) {
      this.#isResumed = true;
      this.options.onResumed?.("resumed");
    }
    for (const batch of this.#batches("copy", table)) {
      const missing = isEmpty ? batch : await this.#missing(table, batch);
      if (missing.length > 0) await this.target.insert(table, missing);
    }
    if (!isEmpty && (await this.target.count(table.name)) !== table.rows) throw new SourceChanged();
  }

  async #missing(table: MovedTable, batch: MovedRow[]): Promise<MovedRow[]> {
    const found = await this.target.find(table, batch);
    return batch.filter((row) => {
      const there = found.get(keyOf(table.primaryKey, row));
      if (there && !isSame(table, row, there)) throw new SourceChanged();
      return !there;
    });
  }

  async #verify(table: MovedTable): Promise<void> {
    const { name, primaryKey } = table;
    for (const batch of this.#batches("verify", table)) {
      const found = await this.target.find(table, batch);
      for (const row of batch) {
        const there = found.get(keyOf(primaryKey, row));
        // The key without the values, which may be secret.
        const place = `Row ${keyOf(["seq"], row)} of ${name}`;
        if (!there) throw new Error(`${place} is missing in PostgreSQL after the copy.`);
        if (!isSame(table, row, there)) throw new Error(`${place} differs in PostgreSQL after the copy.`);
      }
    }
    const count = await this.target.count(name);
    if (count !== table.rows) throw new Error(`${name} has ${table.rows} rows here and ${count} in PostgreSQL.`);
  }

  *#batches(phase: MoveProgress["phase"], table: MovedTable): Generator<MovedRow[]> {
    const { onProgress, batch: max = defaultBatch } = this.options;
    const progress = { phase, table: table.name, total: table.rows };
    let done = 0;
    for (const batch of this.source.batches(table, max)) {
      yield batch;
      done += batch.length;
      onProgress({ ...progress, done });
    }
  }
}

function isSame({ columns }: MovedTable, one: MovedRow, other: MovedRow): boolean {
  return columns.every((column) => one[column] === other[column]);
}
