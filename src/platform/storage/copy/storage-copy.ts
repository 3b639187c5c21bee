import { Slice } from "../../../lib/tasks/slices.ts";
import type { Change } from "../change.ts";
import type { Reads, Storage } from "../storage.ts";
import type { TableName } from "../tables.ts";
import type { CopyFile, RevokedRows } from "./copy-file.ts";

/** The maximum number of rows that are read and sealed at once. */
const rowsAtOnce = 200;
/** Copying takes at most this share of the time. */
const maxShare = 0.05;

/** Copies the rows of a table that match a condition of PostgreSQL, and returns them with these columns. */
export type CopyRows = <Column extends string = never>(
  table: TableName,
  condition?: string,
  parameters?: unknown[],
  columns?: Column[],
) => Promise<Record<Column, unknown>[]>;

interface StorageCopyOptions {
  file: CopyFile;
  storage: Storage;
  /** Copies what is needed to serve without storage. */
  copy(rows: CopyRows): Promise<void>;
  /** What a change may have revoked. */
  revoked(change: Change): RevokedRows[];
  now(): number;
}

/** Keeps a copy on the disk of what this node needs to start while storage is unavailable. */
export class StorageCopy {
  /** Since the copy that is being made was begun. */
  #revoked: RevokedRows[] = [];
  #notBefore = 0;
  /** When the last one was made. */
  time: number | undefined;

  constructor(private readonly options: StorageCopyOptions) {
    const { storage, file, revoked } = options;
    storage.feed.subscribe(
      (changes) => {
        for (const rows of changes.flatMap(revoked)) {
          this.#revoked.push(rows);
          file.revoke(rows);
        }
      },
      // The next copy has what was missed. Until then, the feed is known to be behind.
      () => {
        this.#notBefore = 0;
      },
    );
  }

  /** Makes a copy, unless storage is unavailable or the last ones took too long. */
  async make({ isLast = false } = {}): Promise<void> {
    const { storage, file, now, copy } = this.options;
    const started = performance.now();
    if (storage.feed.trust() !== "fresh" || (!isLast && started < this.#notBefore)) return;
    const time = now();
    const before = this.#revoked.length;
    try {
      await storage.snapshot(async (reads) => {
        file.begin(time);
        await copy(this.#copier(reads));
      });
      this.#revoked = this.#revoked.slice(before);
      file.complete(this.#revoked);
      this.time = time;
    } finally {
      file.abandon();
      this.#notBefore = performance.now() + (performance.now() - started) / maxShare;
    }
  }

  #copier(reads: Reads): CopyRows {
    const slice = new Slice();
    return async <Column extends string>(
      table: TableName,
      condition = "true",
      parameters: unknown[] = [],
      columns: Column[] = [],
    ) => {
      const found: Record<Column, unknown>[] = [];
      await reads.all(`DECLARE copied CURSOR FOR SELECT * FROM ${table} WHERE ${condition}`, parameters);
      for (;;) {
        const rows = await reads.all<Record<Column, unknown>>(`FETCH ${rowsAtOnce} FROM copied`, []);
        if (rows.length > 0) this.options.file.add({ table, rows });
        if (columns.length > 0)
          for (const row of rows)
            found.push(Object.fromEntries(columns.map((each) => [each, row[each]])) as Record<Column, unknown>);
        if (slice.isOver) await slice.next();
        if (rows.length < rowsAtOnce) break;
      }
      await reads.all("CLOSE copied", []);
      return found;
    };
  }
}
