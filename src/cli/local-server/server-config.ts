import { type Config, ConfigError, type Environment, readConfig } from "../../config/config.ts";
import { UsageError } from "../process/usage-error.ts";

/** The settings of the server, for a command that runs in its place. Throws a UsageError, so that the exit code is that of `serve`. */
export function readServerConfig(environment: Environment, dataDirectory: string | undefined): Config {
  try {
    return readConfig({ ...environment, ...(dataDirectory !== undefined && { TOLLGATE_DATA_DIR: dataDirectory }) });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, "docs/operating.md explains every setting.");
    throw error;
  }
}
