import {
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import type { Tables } from "../tables.ts";
import { type MergedStatement, mergeStatement } from "./merge-statement.ts";

type Execute = (sql: string, parameters: unknown[]) => Promise<QueryResult<Record<string, unknown>>>;

interface Waiting {
  sql: string;
  parameters: unknown[];
  resolve(result: QueryResult<never>): void;
  reject(error: unknown): void;
}

/** How statements are merged, by their texts. Undefined if they cannot be. */
export type KnownMerges = Map<string, MergedStatement | undefined>;

/** Statements with lists have many texts. */
const maxMerges = 1_000;

/**
 * Runs works at the same time in one transaction of PostgreSQL. The statements for which they wait at the same time and
 * which have the same text are sent as one: each is a round trip, is planned, and occupies the driver.
 */
export class MergedStatements {
  /** Its queries are merged too. */
  readonly query = new Kysely<Tables>({ dialect: dialectOver((sql, parameters) => this.#send(sql, parameters)) });
  #waiting: Waiting[] = [];
  #isRunning = false;
  #failure: { error: unknown } | undefined;

  constructor(
    private readonly execute: Execute,
    private readonly known: KnownMerges,
  ) {}

  /** Throws the first error of a work once all of them have ended. After it, the others cannot send statements. */
  async run<Result>(works: (() => Promise<Result>)[]): Promise<Result[]> {
    const stopping = (error: unknown) => {
      this.#failure ??= { error };
      throw error;
    };
    const outcomes = await Promise.allSettled(works.map((work) => work().catch(stopping)));
    if (this.#failure) throw this.#failure.error;
    return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Result>).value);
  }

  #send(sql: string, parameters: unknown[]): Promise<QueryResult<never>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sql, parameters, resolve, reject });
      if (!this.#isRunning) void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      // By then, each work that continued waits for its next statement.
      await new Promise(setImmediate);
      const waiting = this.#waiting;
      if (waiting.length === 0) break;
      this.#waiting = [];
      for (const group of Map.groupBy(waiting, ({ sql }) => sql).values()) await this.#sendGroup(group);
    }
    this.#isRunning = false;
  }

  async #sendGroup(group: Waiting[]): Promise<void> {
    try {
      if (this.#failure) throw this.#failure.error;
      const { sql } = group[0]!;
      const merge = group.length === 1 ? undefined : await this.#mergeOf(sql);
      const merged = merge?.(group.map(({ parameters }) => parameters));
      if (!merged) {
        for (const { parameters, resolve } of group)
          resolve((await this.execute(sql, parameters)) as QueryResult<never>);
        return;
      }
      const results = merged.resultsOf((await this.execute(merged.sql, merged.parameters)).rows);
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as QueryResult<never>);
    } catch (error) {
      this.#failure ??= { error };
      for (const { reject } of group) reject(error);
    }
  }

  async #mergeOf(sql: string): Promise<MergedStatement | undefined> {
    if (!this.known.has(sql)) {
      if (this.known.size >= maxMerges) this.known.clear();
      this.known.set(sql, await mergeStatement(sql, () => this.#parameterTypes(sql)));
    }
    return this.known.get(sql);
  }

  /** The types that PostgreSQL infers. */
  async #parameterTypes(sql: string): Promise<string[]> {
    await this.execute(`PREPARE tollgate_merged AS ${sql}`, []);
    const { rows } = await this.execute(
      "SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'tollgate_merged'",
      [],
    );
    await this.execute("DEALLOCATE tollgate_merged", []);
    return rows[0]!.types as string[];
  }
}

function dialectOver(send: (sql: string, parameters: unknown[]) => Promise<QueryResult<never>>): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: ({ sql, parameters }) => send(sql, [...parameters]),
    // biome-ignore lint/correctness/useYield: streaming is not supported
    async *streamQuery() {
      throw new Error("Rows are read whole.");
    },
  };
  const nested = async () => {
    throw new Error("The transaction has begun.");
  };
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      beginTransaction: nested,
      commitTransaction: nested,
      rollbackTransaction: nested,
      releaseConnection: async () => {},
      destroy: async () => {},
    }),
    createIntrospector: (query) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}
