import { type ConnectionOptions, follow } from "../transport/follow.ts";
import type { RequestOptions } from "../transport/options.ts";
import type { DeploymentLogLine, DeploymentStatus } from "../transport/schema.gen.ts";
import { type BuildOptions, waitForBuild } from "./builds.ts";
import { DeploymentsCalls } from "./resources.gen.ts";

export type LogKind = DeploymentLogLine["kind"];

/** Deployed gateway projects. `client.deploy()` creates them. */
export class Deployments extends DeploymentsCalls {
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
    return waitForBuild(this.transport, project, statusId, options);
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
    return (await this.transport.open("downloadVersionSource", { params, options })).blob();
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
    { kind, onOpen, onLost, ...options }: { kind?: LogKind } & RequestOptions & ConnectionOptions = {},
  ): AsyncGenerator<DeploymentLogLine, void, undefined> {
    const { transport } = this;
    const params = { deploymentName: name };
    return follow(
      transport,
      {
        open: () => transport.open("readDeploymentLog", { params, query: { kind, follow: true }, options }),
        event: "log",
        async missed(since): Promise<DeploymentLogLine[]> {
          const query = { kind, since: new Date(since).toISOString(), limit: 1000 };
          return (await transport.call("readDeploymentLog", { params, query, options })).data;
        },
        sinceAfter: ({ time }) => Date.parse(time),
      },
      { onOpen, onLost, signal: options.signal },
    );
  }
}
