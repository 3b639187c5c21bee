import { resolve } from "node:path";
import { type Config, ConfigError, type Environment, readConfig } from "../../config/config.ts";
import { named, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

export const dataDirectoryOption = {
  dataDir: option("the server's data directory; by default TOLLGATE_DATA_DIR or ./data", named("FOLDER", "folder")),
};

export function embeddedDataDirectory(given: string | undefined, environment: Environment): string {
  if (given === undefined && environment.DATABASE_URL)
    throw new UsageError(
      "DATABASE_URL is set: this server keeps its data in PostgreSQL.",
      "Use pg_dump and pg_restore.",
    );
  return resolve(given ?? (environment.TOLLGATE_DATA_DIR || "data"));
}

/**
 * The server's settings, for a command that runs instead of the server. Throws a UsageError, so that the exit code
 * matches `serve`.
 */
export function readServerConfig(environment: Environment, dataDirectory: string | undefined): Config {
  try {
    return readConfig({ ...environment, ...(dataDirectory !== undefined && { TOLLGATE_DATA_DIR: dataDirectory }) });
  } catch (error) {
    if (error instanceof ConfigError)
      throw new UsageError(error.message, "A server explains every setting at /docs/guides/settings.");
    throw error;
  }
}
