import { CompiledQuery, Kysely } from "kysely";
import type { Pool, QueryConfig } from "pg";
import { type Repetition, repeat } from "../../../lib/tasks/repeat.ts";
import type { Change } from "../change.ts";
import { changeRow, type NewChange } from "../change-feed/changes.ts";
import { PostgresFeed } from "../change-feed/postgres-feed.ts";
import { DatabaseHistory } from "../database-history.ts";
import { isLockTimeout, isRetryable, isUnreachable, StorageUnavailable, translate } from "../errors.ts";
import { ListCounts } from "../list-counts.ts";
import { migratePostgres } from "../migrations/migrate.ts";
import { PostgresHosts } from "../postgres-hosts.ts";
import { type OpenCopy, type PostgresOptions, type PostgresTimeouts, postgresTimeouts } from "../postgres-options.ts";
import { type CountsInMemory, runPrepared } from "../run-again.ts";
import type {
  MaintenanceOptions,
  ReadStorage,
  Reads,
  RunStatement,
  Storage,
  TransactionEndListener,
  TransactionOutcome,
  WriteTransaction,
} from "../storage.ts";
import type { Tables } from "../tables.ts";
import { MemoryDatabases } from "./memory-databases.ts";
import { choosePrimary, connectChecked, connectDirectly } from "./postgres-checks.ts";
import { pooledDialect } from "./postgres-driver.ts";
import { ConnectionPool, getTypeParser } from "./postgres-pool.ts";
import { arraysOf } from "./row-sets.ts";
import { StatementNames } from "./statement-names.ts";
import { InsertStatements, numberPlaceholders, updateStatement } from "./statements.ts";

/** A worker reads only what its caches lack. */
const workerPoolSize = 2;
/** The maximum number of cached texts. Statements with lists have many texts. */
const maxStatements = 1_000;
const attempts = 5;
/** How often PostgreSQL is tried while the copy is used. */
const retrySeconds = 1;

/**
 * Any number of nodes can share one PostgreSQL. A node has only caches, and follows the change feed to keep them
 * current.
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { observer, now } = options;
  const timeouts = postgresTimeouts(options.patience);
  const history: DatabaseHistory = new DatabaseHistory(() => feed.rejoin());
  const hosts = new PostgresHosts(options.url);
  const pool = new ConnectionPool(hosts, { ...options, max: options.maxConnections - 1, timeouts, history });
  const feed: PostgresFeed = new PostgresFeed(
    pool,
    timeouts,
    options,
    history,
    options.feedUrl ? new PostgresHosts(options.feedUrl) : hosts,
  );
  let tablesWithSeq = new Set<string>();
  const begin = async () => {
    await migrate(options, timeouts);
    // The feed chooses the host, and the pool the one of its pooler.
    await feed.start();
    if (options.feedUrl) await choosePrimary(hosts, timeouts);
    tablesWithSeq = await findTablesWithSeq(pool);
    // From now on clients wait for connections, and they should get a 503 soon.
    pool.options.connectionTimeoutMillis = timeouts.connection;
  };
  let copy: OpenCopy | undefined;
  let retries: Repetition | undefined;
  try {
    await begin();
  } catch (error) {
    await feed.stop();
    copy = openCopy(options, error);
    if (!copy) {
      await pool.end();
      throw error;
    }
    feed.startFromCopy(copy.time);
    retries = repeat(retrySeconds, retry, () => {});
  }

  async function retry(): Promise<void> {
    if (!copy) return void retries!.stop();
    try {
      await begin();
    } catch (error) {
      await feed.stop();
      feed.startFromCopy(copy.time);
      throw error;
    }
    copy = undefined;
    options.warn("PostgreSQL is available; the copy is not used any more", undefined);
    await options.copied!.available().catch((error) => options.warn("the start on the database failed", error));
    feed.publishGap();
  }

  const { reads, numberedText } = readsOver(pool, timeouts, options, history);
  const { query } = reads;
  const inserts = new InsertStatements();
  const countsInMemory = new Set<CountsInMemory>();
  const inMemory = new MemoryDatabases(options.migrations);

  const executeIn =
    (transaction: Kysely<Tables>) =>
    async <Row>(sql: string, parameters: unknown[]) =>
      (await transaction.executeQuery<Row>(compiled(sql, parameters))).rows;

  function readsIn(transaction: Kysely<Tables>): Reads {
    const execute = executeIn(transaction);
    return {
      query: transaction,
      one: async <Row>(sql: string, parameters: unknown[]) => (await execute<Row>(numberedText(sql), parameters))[0],
      all: <Row>(sql: string, parameters: unknown[]) => execute<Row>(numberedText(sql), parameters),
      tablesOf: arraysOf,
    };
  }

  function transactionOver(transaction: Kysely<Tables>, changes: Change[], endListeners: TransactionEndListener[]) {
    const counts = new ListCounts();
    const locks = new Set<string>();
    const execute = executeIn(transaction);
    // The rows are one JSON parameter: a parameter for each value costs the driver and the server more than the rows
    // themselves.
    const insertMany = async <Row>(table: string, rows: object[], ending: string): Promise<Row[]> => {
      if (rows.length === 0) return [];
      const names = inserts
        .for(table, rows[0]!)
        .columns.map((column) => `"${column}"`)
        .join(", ");
      const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1)`;
      return execute<Row>(sql + ending, [JSON.stringify(rows.map(bytesAsText))]);
    };
    const own: WriteTransaction = {
      ...readsIn(transaction),
      locksRows: true,
      counts,
      counterShards: 8,
      countsInMemory,
      async insert(table, row) {
        const hasSeq = tablesWithSeq.has(table);
        const { sql } = inserts.for(table, row);
        const text = numberedText(hasSeq ? `${sql} RETURNING seq` : sql);
        const [inserted] = await execute<{ seq: number }>(text, Object.values(row));
        return inserted?.seq ?? 0;
      },
      async insertAll(table, rows) {
        const ending = tablesWithSeq.has(table) ? " RETURNING seq" : "";
        return (await insertMany<{ seq: number }>(table, rows, ending)).map(({ seq }) => seq);
      },
      async insertNew(table, rows, key) {
        const keyOf = (row: object) => JSON.stringify(key.map((column) => row[column as keyof typeof row]));
        // Rows are sorted, so that two transactions with rows in common cannot deadlock.
        const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
        const ending = ` ON CONFLICT DO NOTHING RETURNING ${key.join(", ")}`;
        const inserted = new Set((await insertMany<object>(table, sorted, ending)).map(keyOf));
        // If a key occurs twice in the rows, only the first one was inserted.
        return rows.map((row) => inserted.delete(keyOf(row)));
      },
      async update(table, seq, values) {
        const statement = updateStatement(table, seq, values);
        if (statement) await own.run(statement.sql, statement.parameters);
      },
      delete: (table, seq) => own.run(`DELETE FROM ${table} WHERE seq = ?`, [seq]),
      async run(sql, parameters) {
        await execute(numberedText(sql), parameters);
      },
      async runAll(statements) {
        const parts = statements.map(({ sql }) => sql);
        const last = parts.pop();
        if (last === undefined) return;
        const before = parts.map((sql, index) => `part_${index} AS (${sql})`).join(", ");
        const parameters = statements.flatMap((statement) => statement.parameters);
        await execute(numberedText(before === "" ? last : `WITH ${before} ${last}`), parameters);
      },
      async lock(name) {
        if (locks.has(name)) return false;
        await execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [name]);
        locks.add(name);
        return true;
      },
      tryLock: async (name) => (await own.tryLockAll([name]))[0]!,
      async tryLockAll(names) {
        const others = names.filter((name) => !locks.has(name));
        const sql = `SELECT pg_try_advisory_xact_lock(hashtextextended(name, 0)) AS is_free
          FROM unnest(CAST($1 AS text[])) WITH ORDINALITY AS names (name, ordinal) ORDER BY ordinal`;
        const rows = others.length === 0 ? [] : await execute<{ is_free: boolean }>(sql, [others]);
        for (const [index, { is_free }] of rows.entries()) if (is_free) locks.add(others[index]!);
        return names.map((name) => locks.has(name));
      },
      record: (change) => changes.push(change),
      onEnd: (listener) => endListeners.push(listener),
    };
    return {
      ...own,
      /** Returns the id of the transaction, or undefined if there is no change. */
      async insertChanges(rows: NewChange[]): Promise<string | undefined> {
        return (await insertMany<{ xid: string }>("changes", rows, " RETURNING xid"))[0]?.xid;
      },
    };
  }

  async function write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    const started = performance.now();
    for (let attempt = 1; ; attempt++) {
      const changes: Change[] = [];
      const endListeners: TransactionEndListener[] = [];
      const end = (outcome: TransactionOutcome) => {
        for (const listener of endListeners) listener(outcome);
      };
      let historyChanges = 0;
      let isCommitting = false;
      let xid: string | undefined;
      try {
        const result = await query.transaction().execute(async (inner) => {
          historyChanges = feed.historyChanges;
          const transaction = transactionOver(inner, changes, endListeners);
          const value = await work(transaction);
          const rows = changes.map((change) => changeRow(change, feed.node, now()));
          xid = await transaction.insertChanges(rows);
          await transaction.counts.write(transaction);
          isCommitting = true;
          return value;
        });
        await feed.confirm(historyChanges);
        observer.operation("write", (performance.now() - started) / 1000);
        end("committed");
        if (changes.length > 0) {
          feed.publish(changes);
          feed.wakeOthers();
        }
        return result;
      } catch (error) {
        end(isCommitting && !isRetryable(error) ? "unknown" : "rolledBack");
        // The lost response may be that of COMMIT, and COMMIT may still be running.
        if (xid !== undefined) feed.readBack(xid);
        if (!isRetryable(error)) throw error;
        if (attempt >= attempts || performance.now() - started > timeouts.retry) throw new StorageUnavailable(error);
      }
    }
  }

  return {
    engine: "postgres",
    isShared: true,
    reads: readsOfEither(reads, () => copy && (feed.trust() === "lost" ? "none" : copy.reads)),
    feed,
    countsInMemory,
    write(work) {
      if (!copy) return runPrepared(() => pool.writing(timeouts.connection, () => write(work)));
      if (options.copied!.isStarting()) return runPrepared(() => copy!.write(work));
      return Promise.reject(new StorageUnavailable("only a copy is available"));
    },
    snapshot: (work) =>
      query
        .transaction()
        .setIsolationLevel("repeatable read")
        .setAccessMode("read only")
        .execute((inner) => work(readsIn(inner))),
    inMemory: (tables, work) => inMemory.run(tables, work),
    maintain: (work, how) => maintain({ ...options, ...how }, timeouts, history, work),
    // Autovacuum releases it.
    releaseSpace: async () => {},
    async close() {
      inMemory.close();
      await retries?.stop();
      await feed.stop();
      // Not through Kysely, which would leave the pool open if it was never used.
      await pool.end();
    },
  };
}

/** Returns undefined if the database was reached and cannot be used, or if there is no copy. */
function openCopy({ copied, staleSeconds, now, warn }: PostgresOptions, error: unknown): OpenCopy | undefined {
  if (!copied || !isUnreachable(error)) return undefined;
  try {
    const copy = copied.open();
    if (!copy || now() - copy.time > staleSeconds * 1000) return undefined;
    const since = new Date(copy.time).toISOString();
    warn(
      `PostgreSQL is unavailable. What this node served is served from its copy of ${since}; nothing is written`,
      error,
    );
    return copy;
  } catch (damage) {
    warn("the copy of storage cannot be used", damage);
    return undefined;
  }
}

/** Reads of the copy, if there is one, or of the database. */
function readsOfEither(reads: Reads, copy: () => Reads | "none" | undefined): Reads {
  const current = () => {
    const found = copy();
    if (found === "none") throw new StorageUnavailable("the copy is too old");
    return found ?? reads;
  };
  return {
    get query() {
      return current().query;
    },
    one: async (sql, parameters) => current().one(sql, parameters),
    all: async (sql, parameters) => current().all(sql, parameters),
    tablesOf: (types, rows) => current().tablesOf(types, rows),
  };
}

/** Opens a database that another process of this machine has migrated, for reads. */
export function openPostgresReads(
  hosts: PostgresHosts,
  options: ReadOptions & Pick<PostgresOptions, "patience">,
  history?: DatabaseHistory,
  copy: () => Reads | undefined = () => undefined,
): ReadStorage {
  const timeouts = postgresTimeouts(options.patience);
  const pool = new ConnectionPool(hosts, { ...options, isAlone: true, max: workerPoolSize, timeouts, history });
  pool.options.connectionTimeoutMillis = timeouts.connection;
  const { reads } = readsOver(pool, timeouts, options, history);
  return { engine: "postgres", isShared: true, reads: readsOfEither(reads, copy), close: () => pool.end() };
}

type ReadOptions = Pick<PostgresOptions, "feedUrl" | "observer" | "transactionMilliseconds" | "warn">;

const emptyQuery = CompiledQuery.raw("");

/** Unlike CompiledQuery.raw, does not freeze the parameters: that takes longer than sending a thousand of them. */
function compiled(sql: string, parameters: unknown[]): CompiledQuery {
  return { ...emptyQuery, sql, parameters };
}

function readsOver(
  pool: Pool,
  timeouts: PostgresTimeouts,
  { feedUrl, observer, warn, transactionMilliseconds = timeouts.transaction }: ReadOptions,
  history: DatabaseHistory | undefined,
) {
  const names = new StatementNames(warn);
  const query = new Kysely<Tables>({
    dialect: pooledDialect(pool, {
      ...{ timeouts, transactionMilliseconds, names, history },
      hasSessions: feedUrl === undefined,
    }),
    log: (event) => observer.operation("query", event.queryDurationMillis / 1000),
  });
  const numbered = new Map<string, string>();

  function numberedText(sql: string): string {
    const text = numbered.get(sql) ?? numberPlaceholders(sql);
    if (numbered.size >= maxStatements) numbered.clear();
    numbered.set(sql, text);
    return text;
  }

  async function named<Row>(text: string, values: unknown[]): Promise<Row[]> {
    const name = names.of(text);
    try {
      const result = await pool.query({ name, text, values, query_timeout: timeouts.lookUp } as QueryConfig);
      return result.rows as Row[];
    } catch (error) {
      if (name !== undefined && names.failed(name, error)) return named(text, values);
      throw error;
    }
  }

  async function all<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    const started = performance.now();
    try {
      return await named<Row>(numberedText(sql), parameters);
    } catch (error) {
      throw translate(error);
    } finally {
      observer.operation("query", (performance.now() - started) / 1000);
    }
  }

  async function one<Row>(sql: string, parameters: unknown[]): Promise<Row | undefined> {
    return (await all<Row>(sql, parameters))[0];
  }

  return { reads: { query, one, all, tablesOf: arraysOf }, numberedText };
}

async function findTablesWithSeq(pool: Pool): Promise<Set<string>> {
  const result = await pool.query<{ table_name: string }>(
    // Not information_schema.columns: planning that view took a third of PostgreSQL's time at a start.
    `SELECT relname AS table_name FROM pg_namespace
      JOIN pg_class ON relnamespace = pg_namespace.oid
      JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE nspname = current_schema() AND relkind IN ('r', 'p') AND attname = 'seq' AND NOT attisdropped`,
  );
  return new Set(result.rows.map((row) => row.table_name));
}

/** Returns the row with its bytes in PostgreSQL's text format. */
function bytesAsText(row: object): object {
  const members = Object.entries(row).map(([name, value]) =>
    value instanceof Uint8Array ? [name, `\\x${Buffer.from(value).toString("hex")}`] : [name, value],
  );
  return Object.fromEntries(members);
}

/**
 * Not through the pool, whose statements time out after seconds: a large table may take minutes, while other nodes
 * wait.
 */
async function migrate(options: PostgresOptions, timeouts: PostgresTimeouts): Promise<void> {
  const client = await connectChecked(options, timeouts);
  try {
    await migratePostgres(client, options.migrations, options.now());
  } finally {
    await client.end();
  }
}

/** Not through the pool, as migrations. */
async function maintain<Result>(
  { lockMilliseconds, signal, ...options }: PostgresOptions & MaintenanceOptions,
  timeouts: PostgresTimeouts,
  history: DatabaseHistory,
  work: (run: RunStatement) => Promise<Result>,
): Promise<Result | undefined> {
  signal?.throwIfAborted();
  const client = await connectDirectly(options, timeouts);
  // Closes the connection although a statement runs. PostgreSQL then rolls the transaction back.
  const abort = () => void client.end().catch(() => {});
  signal?.addEventListener("abort", abort);
  const run: RunStatement = async <Row>(sql: string, parameters: unknown[] = []) =>
    (await client.query({ text: numberPlaceholders(sql), values: parameters, types: { getTypeParser } })).rows as Row[];
  try {
    history.check(await history.read(client, "BEGIN"));
    await run(`SET LOCAL lock_timeout = ${lockMilliseconds * (options.patience ?? 1)}`);
    // Others wait for its locks: they must not be kept for a node that is cut off.
    await run(`SET LOCAL idle_in_transaction_session_timeout = ${timeouts.idleTransaction}`);
    const result = await work(run);
    await run("COMMIT");
    return result;
  } catch (error) {
    if (isLockTimeout(error)) return undefined;
    throw translate(error);
  } finally {
    signal?.removeEventListener("abort", abort);
    // Without COMMIT, the end of the connection rolls back.
    await client.end().catch(() => {});
  }
}
