import { ConfigError, type Environment, readConfig } from "../../src/config/config.ts";

/** The errors of an environment; none if it is valid. */
export function configErrors(environment: Environment): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
  return [];
}
