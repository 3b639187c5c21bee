import { afterAll, describe } from "bun:test";
import { randomBytes } from "node:crypto";
import { SQL } from "bun";
import { failIfAnythingRuns, started, stopped } from "./left-running.ts";
import { memoryFolder } from "./memory-folder.ts";
import { postgresTemplateOf, urlOf, writeSqliteTemplate } from "./migrated-template.ts";
import { startPostgres } from "./postgres.ts";
import { databasePatience } from "./slowdown.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A fresh, empty database, and the settings that point a server at it. */
export interface Database {
  readonly environment: Record<string, string>;
  /** Throws if there are open connections. */
  drop(): Promise<void>;
}

export interface Engine {
  readonly name: "sqlite" | "postgres";
  freshDatabase(): Promise<Database>;
  /** The state after a first start: all tables, without data. */
  migratedDatabase(): Promise<Database>;
}

export const sqlite: Engine = {
  name: "sqlite",
  async freshDatabase() {
    const folder = await temporaryFolder("sqlite", memoryFolder());
    return watched({ environment: { TOLLGATE_DATA_DIR: folder.path }, drop: folder.remove });
  },
  async migratedDatabase() {
    const database = await sqlite.freshDatabase();
    await writeSqliteTemplate(database.environment.TOLLGATE_DATA_DIR!);
    return database;
  },
};

export const postgres: Engine = {
  name: "postgres",
  freshDatabase: () => createPostgresDatabase(""),
  // Copying the files takes a third of the CPU time of the default strategy, which logs each page.
  migratedDatabase: async () =>
    createPostgresDatabase(`TEMPLATE ${await postgresTemplateOf(await maintenanceUrl())} STRATEGY FILE_COPY`),
};

/** A copy of a PostgreSQL database to which there is no connection. */
export function copyOfDatabase({ environment }: Database): Promise<Database> {
  const { pathname } = new URL(environment.DATABASE_URL!);
  return createPostgresDatabase(`TEMPLATE ${pathname.slice(1)} STRATEGY FILE_COPY`);
}

async function createPostgresDatabase(options: string): Promise<Database> {
  const name = `tollgate_test_${randomBytes(6).toString("hex")}`;
  await administer(`CREATE DATABASE ${name} ${options}`);
  const environment = {
    DATABASE_URL: urlOf(await maintenanceUrl(), name),
    TOLLGATE_DATABASE_PATIENCE: String(databasePatience),
  };
  return watched({ environment, drop: () => administer(`DROP DATABASE ${name}`) });
}

export const engines: readonly Engine[] = [sqlite, postgres];

/** Runs a suite on every engine, and fails if it leaves anything running. */
export function eachEngine(suite: (engine: Engine) => void): void {
  for (const engine of engines) {
    describe(engine.name, () => {
      suite(engine);
      // Bun runs hooks in the order of registration: the suite's own come first and stop what it started.
      afterAll(failIfAnythingRuns);
    });
  }
}

const sampledEvery = 8;

/**
 * Cases that are decided before storage is used, such as invalid input: all of them on SQLite, and every eighth on
 * PostgreSQL, where a case takes four times as long.
 */
export function casesFor<Case>(engine: Engine, cases: readonly Case[]): Case[] {
  return cases.filter((_, index) => engine === sqlite || index % sampledEvery === 0);
}

function watched(database: Database): Database {
  const drop = async () => {
    stopped(watchedDatabase);
    await database.drop();
  };
  const watchedDatabase = { ...database, drop };
  started(watchedDatabase, "A database");
  return watchedDatabase;
}

let administration: SQL | undefined;

/** Over one connection that stays open: opening one takes PostgreSQL as long as twenty statements. */
async function administer(statement: string): Promise<void> {
  administration ??= new SQL(await maintenanceUrl(), { max: 1 });
  await administration.unsafe(statement);
}

let ownPostgres: Promise<string> | undefined;

/** The PostgreSQL of the run, or one that is started for this process by the first test that needs it. */
async function maintenanceUrl(): Promise<string> {
  if (process.env.TOLLGATE_TEST_DATABASE_URL) return process.env.TOLLGATE_TEST_DATABASE_URL;
  ownPostgres ??= startPostgres();
  return ownPostgres;
}
