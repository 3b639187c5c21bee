import { TollgateError } from "../transport/errors.ts";
import type { RequestOptions } from "../transport/options.ts";
import { type ConnectionOptions, isOutage, openedOn, reopen } from "../transport/reopen.ts";
import type { DeploymentLogLine, DeploymentStatus } from "../transport/schema.gen.ts";
import { serverSentEvents } from "../transport/server-sent-events.ts";
import type { Transport } from "../transport/transport.ts";
import { type BuildOptions, waitForBuild } from "./builds.ts";
import { DeploymentsCalls } from "./resources.gen.ts";

const maxCached = 2000;

interface FollowOptions extends RequestOptions, ConnectionOptions {
  kind?: DeploymentLogLine["kind"];
}

/** New lines of a deployment. After a lost connection it requests the missed lines and skips those already yielded. */
async function* followLog(
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

export type LogKind = DeploymentLogLine["kind"];

/** Deployed gateway projects. `client.deploy()` creates them. */
export class Deployments extends DeploymentsCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Waits until an upload or a redeploy is live. Throws a BuildError if it fails; the previous version keeps serving.
   *
   * @example
   * ```ts
   * const { url } = await client.deployments.waitFor("orders", statusId, {
   *   onStep: ({ name, status }) => console.log(name, status),
   * });
   * ```
   */
  waitFor(project: string, statusId: string, options: BuildOptions = {}): Promise<DeploymentStatus> {
    return waitForBuild(this.#transport, project, statusId, options);
  }

  /**
   * The project of a version as it was uploaded: a gzip tar.
   *
   * @example
   * ```ts
   * const archive = await client.deployments.source("orders-main-3f9c2a1", 3);
   * console.log(`${archive.size} bytes`);
   * ```
   */
  async source(deploymentName: string, versionNumber: number, options: RequestOptions = {}): Promise<Blob> {
    const params = { deploymentName, versionNumber: String(versionNumber) };
    return (await this.#transport.open("downloadVersionSource", { params, options })).blob();
  }

  /**
   * Streams new lines until you leave the loop or the signal aborts. Survives a lost connection.
   *
   * @example
   * ```ts
   * for await (const line of client.deployments.followLogs("orders-main-3f9c2a1", { kind: "access" })) {
   *   console.log(line.time, line.status, line.path);
   *   if (line.status === 500) break;
   * }
   * ```
   */
  followLogs(
    name: string,
    options: { kind?: LogKind } & RequestOptions & ConnectionOptions = {},
  ): AsyncGenerator<DeploymentLogLine, void, undefined> {
    return followLog(this.#transport, name, options);
  }
}
