import { TollgateError } from "../transport/errors.ts";
import type { RequestOptions } from "../transport/options.ts";
import { type ConnectionOptions, isOutage, openedOn, reopen } from "../transport/reopen.ts";
import type { DeploymentLogLine } from "../transport/schema.gen.ts";
import { serverSentEvents } from "../transport/server-sent-events.ts";
import type { Transport } from "../transport/transport.ts";

const maxCached = 2000;

export interface FollowOptions extends RequestOptions, ConnectionOptions {
  kind?: DeploymentLogLine["kind"];
}

/** New lines of a deployment. After a lost connection it requests the missed lines and skips those already yielded. */
export async function* followLog(
  transport: Transport,
  deploymentName: string,
  { kind, onOpen, onLost, ...options }: FollowOptions,
): AsyncGenerator<DeploymentLogLine, void, undefined> {
  const params = { deploymentName };
  const seen = new Set<string>();
  let since: number | undefined;

  const open = () => transport.open("readDeploymentLog", { params, query: { kind, follow: true }, options });

  for (let response = await open(); ; response = await reopen(transport, open, options.signal, onLost)) {
    onOpen?.();
    try {
      for await (const line of linesOf(response, await missed())) {
        if (seen.has(line.id)) continue;
        remember(line);
        yield line;
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof TollgateError && !isOutage(error)) throw error;
      // The connection was lost; the loop opens a new one.
    } finally {
      since ??= openedOn(response);
      await response.body?.cancel();
    }
  }

  async function missed(): Promise<DeploymentLogLine[]> {
    if (since === undefined) return [];
    const query = { kind, since: new Date(since).toISOString(), limit: 1000 };
    return (await transport.call("readDeploymentLog", { params, query, options })).data;
  }

  function remember(line: DeploymentLogLine): void {
    since = Date.parse(line.time);
    seen.add(line.id);
    if (seen.size > maxCached) seen.delete(seen.values().next().value!);
  }
}

async function* linesOf(response: Response, before: DeploymentLogLine[]): AsyncGenerator<DeploymentLogLine> {
  yield* before;
  for await (const { event, data } of serverSentEvents(response.body!)) if (event === "log") yield JSON.parse(data);
}
