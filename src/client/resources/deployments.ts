import type { RequestOptions } from "../transport/options.ts";
import type { ConnectionOptions } from "../transport/reopen.ts";
import type { DeploymentLogLine, DeploymentStatus } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import { type BuildOptions, waitForBuild } from "./builds.ts";
import { followLog } from "./follow-log.ts";
import { DeploymentsCalls } from "./resources.gen.ts";

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
