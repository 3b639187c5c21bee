import type { Migration } from "./migration.ts";
import type { StorageObserver } from "./storage.ts";

export interface PostgresOptions {
  url: string;
  migrations: Migration[];
  /** How long what is known may be used while storage is away. */
  staleSeconds: number;
  now(): number;
  observer: StorageObserver;
  warn(message: string, error: unknown): void;
}
