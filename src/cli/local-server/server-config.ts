import { type Config, ConfigError, type Environment, readConfig } from "../../config/config.ts";
import { UsageError } from "../process/usage-error.ts";

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
