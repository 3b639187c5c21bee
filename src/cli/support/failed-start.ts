import { type Config, ConfigError } from "../../config/config.ts";
import { isDiskFull } from "../../lib/file-errors.ts";
import { ListenError } from "../../server/listen-error.ts";

/** What to print when the server does not start: what is wrong, where, and what to do about it. */
export function explainFailedStart(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError) return error.message;
  return `Tollgate did not start: ${(config && knownReason(error, config)) ?? messageOf(error)}`;
}

function knownReason(error: unknown, { dataDirectory, databaseUrl }: Config): string | undefined {
  if (error instanceof ListenError) return reasonNotToListen(error);
  if (databaseUrl === undefined && causes(error).some((cause) => isDiskFull(cause.code)))
    return `the disk that holds ${dataDirectory} is full. Free some space and start again.`;
  return undefined;
}

function reasonNotToListen({ place, code, message, cause }: ListenError): string | undefined {
  const { host, port, settings } = place;
  const { syscall } = cause as { syscall?: string };
  if (code === "EADDRINUSE")
    return `port ${port} on ${host} is in use by another program. Stop that one, or set ${settings.port} to another port.`;
  if (code === "EACCES" && syscall === "listen")
    return `this user may not listen on port ${port} on ${host}. Set ${settings.port} to one from 1024 on.`;
  if (code === "EADDRNOTAVAIL" || message === `Failed to listen at ${host}`)
    return `this machine has no address ${host} to listen on. Set ${settings.host} to one that it has, or to 0.0.0.0 for all.`;
  return undefined;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const isRepeated = !(cause instanceof Error) || error.message.includes(cause.message);
  return isRepeated ? error.message : `${error.message} (${cause.message})`;
}

/** The error and what caused it, as deep as anybody nests them. */
function causes(error: unknown): (Error & { code?: unknown })[] {
  const found: (Error & { code?: unknown })[] = [];
  for (let current = error; current instanceof Error && found.length < 8; current = current.cause) found.push(current);
  return found;
}
