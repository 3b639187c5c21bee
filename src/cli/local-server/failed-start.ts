import { type Config, ConfigError } from "../../config/config.ts";
import { isDiskFull } from "../../lib/files/file-errors.ts";

/** Describes why the server did not start, where, and what to do. */
export function explainFailedStart(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError) return error.message;
  const reason = (config && knownReason(error, config)) ?? messageOf(error);
  return `Tollgate did not start:${reason.startsWith("\n") ? "" : " "}${reason}`;
}

function knownReason(error: unknown, { dataDirectory, databaseUrl }: Config): string | undefined {
  if (databaseUrl === undefined && causes(error).some((cause) => isDiskFull(cause.code)))
    return `the disk that holds ${dataDirectory} is full. Free some space and start again.`;
  return undefined;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const isRepeated = !(cause instanceof Error) || error.message.includes(cause.message);
  return isRepeated ? error.message : `${error.message} (${cause.message})`;
}

/** The error followed by its chain of causes, up to a maximum depth. */
function causes(error: unknown): (Error & { code?: unknown })[] {
  const found: (Error & { code?: unknown })[] = [];
  for (let current = error; current instanceof Error && found.length < 8; current = current.cause) found.push(current);
  return found;
}
