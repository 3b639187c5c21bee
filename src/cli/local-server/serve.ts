import { type Config, ConfigError, type Environment, parseConfig } from "../../config/config.ts";
import { listenErrors } from "../../config/ports.ts";
import { missingPrograms, programsFolder } from "../../lib/files/program-beside.ts";
import type { Server } from "../../server/server.ts";
import { builderCommand } from "./builder-command.ts";
import { explainFailedStart } from "./failed-start.ts";
import { StopRequest } from "./stop-request.ts";

/** Maximum duration of a graceful stop, after draining. After it, open connections are closed. */
const patienceMilliseconds = 25_000;

/** Runs the server until it is stopped. Returns the exit code. */
export async function serve(environment: Environment): Promise<number> {
  // Registered first: a signal may arrive as soon as "listening" is printed.
  const stop = new StopRequest();
  let server: Server;
  let config: Config | undefined;
  try {
    config = readServerConfig(environment);
    if (config.workers > 0) {
      const { supervise } = await import("./supervise.ts");
      return await supervise(config, environment, stop);
    }
    // Imported late: a program that restarts itself does not need the server before that.
    const { startServer } = await import("../../server/server.ts");
    server = await startServer(config, { readableLog: process.stdout.isTTY === true, builderCommand });
  } catch (error) {
    process.stderr.write(`${explainFailedStart(error, config)}\n`);
    return error instanceof ConfigError ? 2 : 1;
  }

  announce(server);
  await stop.received;
  await stop.drain(config.drainSeconds, () => server.drain());
  const patience = setTimeout(() => process.exit(1), patienceMilliseconds);
  await server.stop();
  clearTimeout(patience);
  return 0;
}

/** Tells the person who started the server what is missing, and at the first start the admin token. */
export function announce(server: Server): void {
  const missing = missingPrograms();
  if (missing.length > 0)
    process.stderr.write(
      `Deployments with code will not work: ${programsFolder} does not contain ${missing.join(", ")}. Unpack the whole archive of the release.\n`,
    );
  const { adminToken } = server.firstStart;
  if (adminToken) {
    // To the error stream: logs are stored and shipped, and must not contain a token.
    process.stderr.write(
      `\n  This is the first start. Your admin token, shown only once and stored in ${adminToken.file}:\n\n` +
        `      ${adminToken.value}\n\n  Console, to sign in with it:  ${server.publicUrl}/console\n` +
        `  Reference with calls to try: ${server.publicUrl}/docs\n\n`,
    );
  }
}

/** Throws one error that lists all problems with the settings and their addresses. */
function readServerConfig(environment: Environment): Config {
  const { config, errors } = parseConfig(environment);
  const addresses = listenErrors(config, errors);
  if (errors.length > 0) throw new ConfigError([...errors, ...addresses.map(asSentence)], config.unknownSettings);
  if (addresses.length > 0) throw new Error(addresses.length === 1 ? addresses[0] : listOf(addresses.map(asSentence)));
  return config;
}

const asSentence = (text: string) => text[0]!.toUpperCase() + text.slice(1);
const listOf = (lines: string[]) => `\n${lines.map((line) => `  - ${line}`).join("\n")}`;
