import type { ConnectionOptions, DeploymentLogLine, LogOptions, Tollgate } from "../../../client/index.ts";
import { defineCommand } from "../../arguments/command.ts";
import { argument, flag, integer, oneOf, option, pastTime } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { connectionNotes } from "../../output/connection-notes.ts";
import { logLine } from "../../output/log-line.ts";
import { onInterrupt } from "../../process/interrupt.ts";

export const command = defineCommand({
  summary: "Show the log of a deployment: requests, console output, builds",
  details: "With --follow and --json: one JSON object per line.",
  arguments: { name: argument("the deployment") },
  options: {
    follow: flag("follow the log: print new lines until Ctrl-C", "f"),
    kind: option("only requests, only console output or only builds", oneOf("access", "console", "build")),
    limit: option("the number of newest lines; 100 by default, at most 1000", integer),
    since: option("only since this time, such as -1h", pastTime),
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate deployments logs orders-main-3f9c2a1 -f", text: "The newest lines, and then new ones." },
    {
      command: "tollgate deployments logs orders-main-3f9c2a1 --kind console --since -1h",
      text: "Console output of the last hour.",
    },
  ],
  async run({ name, follow, kind, limit, since, json, ...target }, context) {
    const { terminal } = context;
    const client = await connectTo(target, context);
    if (!follow) {
      const data = await client.deployments.logs(name, { limit, since, kind });
      if (json) terminal.printJson({ data });
      else for (const line of data) terminal.print(logLine(terminal, line));
      if (data.length === 0) terminal.note("There are no log lines.");
      return undefined;
    }
    const signal = onInterrupt();
    try {
      for await (const line of oldAndNew(client, name, { limit, since, kind, signal }, connectionNotes(terminal)))
        terminal.print(json ? JSON.stringify(line) : logLine(terminal, line));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return undefined;
  },
});

/** Subscribes before it reads, so that no line is missed. Lines returned by both are printed once. */
async function* oldAndNew(
  client: Tollgate,
  name: string,
  { kind, signal, ...options }: LogOptions,
  notes: ConnectionOptions,
): AsyncGenerator<DeploymentLogLine> {
  const following = client.deployments.followLogs(name, { kind, signal, ...notes });
  const first = following.next();
  // If the deployment does not exist, the read below fails too and reports it.
  first.catch(() => undefined);
  const old = await client.deployments.logs(name, { kind, signal, ...options });
  yield* old;
  const seen = new Set(old.map(({ id }) => id));
  for (let next = await first; !next.done; next = await following.next())
    if (!seen.has(next.value.id)) yield next.value;
}
