import type { Database } from "bun:sqlite";
import type { Reads, StorageObserver } from "../storage.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { openReader } from "./sqlite-connections.ts";
import { readsOver, translating } from "./sqlite-reads.ts";

interface Connection {
  database: Database;
  statements: PreparedStatements;
  reads: Reads;
}

/** More connections are closed after their snapshot. */
const maxIdle = 2;

/** Reads of one time, each on a connection of its own: others that shared it would see old data. */
export class SqliteSnapshots {
  #idle: Connection[] = [];

  constructor(
    private readonly file: string,
    private readonly observer: StorageObserver,
  ) {}

  async read<Result>(work: (reads: Reads) => Promise<Result>): Promise<Result> {
    const connection = this.#idle.pop() ?? this.#open();
    const { database, reads } = connection;
    translating(() => database.run("BEGIN"));
    try {
      return await work(reads);
    } finally {
      database.run("ROLLBACK");
      if (this.#idle.length < maxIdle) this.#idle.push(connection);
      else close(connection);
    }
  }

  close(): void {
    for (const connection of this.#idle) close(connection);
    this.#idle = [];
  }

  #open(): Connection {
    const database = openReader(this.file);
    const statements = new PreparedStatements(database);
    return { database, statements, reads: readsOver(statements, this.observer) };
  }
}

function close({ database, statements }: Connection): void {
  statements.close();
  database.close();
}
