import { Database, type SQLQueryBindings } from "bun:sqlite";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import { PreparedStatements } from "../engines/prepared-statements.ts";
import { SqliteWrites } from "../engines/sqlite-writes.ts";
import { ListCounts } from "../list-counts.ts";
import { migrateSqlite } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import type { OpenCopy } from "../postgres-options.ts";
import type { WriteTransaction } from "../storage.ts";
import type { TableName } from "../tables.ts";

const purpose = "copy of storage";
const lengthBytes = 4;

/** Rows that may have been revoked since they were copied: all of a table, or those with a value of a column. */
export interface RevokedRows {
  table: TableName;
  column?: string;
  values?: (string | Uint8Array)[];
}

/** Rows of one table. */
export interface CopiedRows {
  table: TableName;
  rows: object[];
}

type Piece = { time: number } | CopiedRows | RevokedRows;

/** Rows of storage on the disk of a node, sealed with the encryption key. Revocations since are appended. */
export class CopyFile {
  readonly #file: string;
  readonly #revoked: string;
  readonly #next: string;

  constructor(
    private readonly directory: string,
    private readonly keyring: Keyring,
  ) {
    this.#file = join(directory, "storage.copy");
    this.#revoked = join(directory, "storage.revoked");
    this.#next = `${this.#file}.${process.pid}.new`;
  }

  begin(time: number): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    writeFileSync(this.#next, this.#seal({ time }), { mode: 0o600 });
  }

  add(rows: CopiedRows): void {
    appendFileSync(this.#next, this.#seal(rows));
  }

  /** Replaces the former copy. `revoked` are the rows that the new one may contain although they were revoked. */
  complete(revoked: readonly RevokedRows[]): void {
    renameSync(this.#next, this.#file);
    const unfinished = `${this.#revoked}.${process.pid}.new`;
    writeFileSync(unfinished, Buffer.concat(revoked.map((rows) => this.#seal(rows))), { mode: 0o600 });
    renameSync(unfinished, this.#revoked);
  }

  abandon(): void {
    rmSync(this.#next, { force: true });
  }

  revoke(rows: RevokedRows): void {
    if (existsSync(this.#file)) appendFileSync(this.#revoked, this.#seal(rows), { mode: 0o600 });
  }

  /** Returns undefined if there is none. Throws if it is damaged, or of a release with other tables. */
  open(migrations: Migration[]): OpenCopy | undefined {
    if (!existsSync(this.#file)) return undefined;
    const database = new Database(":memory:");
    migrateSqlite(database, migrations, 0);
    database.run("PRAGMA foreign_keys = OFF");
    const statements = new PreparedStatements(database);
    const observer = { operation: () => {}, group: () => {}, revocationLag: () => {} };
    const writes = new SqliteWrites(statements, { observer, countsInMemory: new Set() });
    let time: number | undefined;
    database.run("BEGIN");
    for (const piece of [...this.#pieces(this.#file), ...this.#pieces(this.#revoked)]) {
      if ("time" in piece) time = piece.time;
      else if ("rows" in piece) writes.insertAll(piece.table, piece.rows);
      else if (!piece.column) database.run(`DELETE FROM ${piece.table}`);
      else
        for (const value of piece.values ?? [])
          database.run(`DELETE FROM ${piece.table} WHERE ${piece.column} = ?`, [value as SQLQueryBindings]);
    }
    database.run("COMMIT");
    if (time === undefined) throw new Error("it has no beginning");
    let last: Promise<unknown> = Promise.resolve();
    const run = async <Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> => {
      database.run("BEGIN");
      try {
        const result = await work(writes.transaction([], new ListCounts(), []));
        database.run("COMMIT");
        return result;
      } catch (error) {
        database.run("ROLLBACK");
        throw error;
      }
    };
    return {
      time,
      reads: writes.reads,
      write(work) {
        const running = last.catch(() => {}).then(() => run(work));
        last = running;
        return running;
      },
    };
  }

  #seal(piece: Piece): Buffer {
    const sealed = this.keyring.seal(JSON.stringify(piece, bytesAsText), purpose);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(sealed.length);
    return Buffer.concat([length, sealed]);
  }

  /** A process that was killed may have left a part of the last one. */
  *#pieces(file: string): Generator<Piece> {
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    for (let at = 0; at + lengthBytes <= bytes.length; ) {
      const end = at + lengthBytes + bytes.readUInt32BE(at);
      if (end > bytes.length) return;
      yield JSON.parse(this.keyring.open(bytes.subarray(at + lengthBytes, end), purpose), textAsBytes);
      at = end;
    }
  }
}

interface Bytes {
  base64: string;
}

/** Buffers have been replaced by their `toJSON` already. */
function bytesAsText(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  return original instanceof Uint8Array ? { base64: Buffer.from(original).toString("base64") } : value;
}

function textAsBytes(_name: string, value: unknown): unknown {
  const isBytes = typeof value === "object" && value !== null && Object.keys(value).join() === "base64";
  return isBytes ? Buffer.from((value as Bytes).base64, "base64") : value;
}
