import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type { ConnectionOptions } from "../transport/reopen.ts";
import type {
  DeployedRoutes,
  DeployedUpstreams,
  Deployment,
  DeploymentChanges,
  DeploymentLogLine,
  DeploymentStatus,
  DeploymentTry,
  DeploymentTryResponse,
  DeploymentVersion,
  DeploymentVersionContents,
  Redeployed,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";
import { type BuildOptions, waitForBuild } from "./builds.ts";
import { followLog } from "./follow-log.ts";

export type LogKind = DeploymentLogLine["kind"];

export interface LogOptions extends RequestOptions {
  /** The number of newest lines; 100 by default, at most 1000. */
  limit?: number;
  /** RFC 3339: only lines since this time. */
  since?: string;
  /** Only requests, only console output of the code, or only builds. */
  kind?: LogKind;
}

export interface RollBackOptions extends CreateOptions {
  /** The number of the version to restore; the previous one by default. */
  version?: number;
}

/** Deployed gateway projects. `client.deploy()` creates them. */
export class Deployments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * The deployments of a project, one for each branch.
   *
   * @example
   * ```ts
   * for (const { branchName, url } of await client.deployments.list("orders")) console.log(branchName, url);
   * ```
   */
  async list(project: string, options?: RequestOptions): Promise<Deployment[]> {
    return (await this.#transport.call("listDeployments", { params: { projectName: project }, options })).data;
  }

  /**
   * The deployments of all projects or of one, in the order of creation.
   *
   * @example
   * ```ts
   * for await (const { projectName, branchName, state } of client.deployments.listAll()) console.log(projectName, branchName, state);
   * ```
   */
  listAll({
    project,
    branch,
    ...paging
  }: { project?: string; branch?: string } & PageOptions & RequestOptions = {}): List<Deployment> {
    const query = { projectName: project, branchName: branch };
    return this.#transport.list("listAccountDeployments", { call: { query }, paging });
  }

  /**
   * One deployment.
   *
   * @example
   * ```ts
   * const { state, url } = await client.deployments.get("orders-main-3f9c2a1");
   * ```
   */
  get(name: string, options?: RequestOptions): Promise<Deployment> {
    return this.#transport.call("getDeployment", { params: { deploymentName: name }, options });
  }

  /**
   * Deletes a deployment: its address returns 404 immediately.
   *
   * @example
   * ```ts
   * await client.deployments.delete("orders-main-3f9c2a1");
   * ```
   */
  delete(name: string, options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deleteDeployment", { params: { deploymentName: name }, options });
  }

  /**
   * Builds the stored source again. Resolves when the build is queued.
   *
   * @example
   * ```ts
   * const { statusId } = await client.deployments.redeploy("orders-main-3f9c2a1");
   * await client.deployments.waitFor("orders", statusId);
   * ```
   */
  redeploy(name: string, options?: CreateOptions): Promise<Redeployed> {
    return this.#transport.call("redeploy", { params: { deploymentName: name }, body: {}, options });
  }

  /**
   * Builds the version that is live in another deployment of the project for this one, with its variables.
   *
   * @example
   * ```ts
   * const { statusId } = await client.deployments.promote("orders-main-3f9c2a1", "orders-staging-1a2b3c4");
   * await client.deployments.waitFor("orders", statusId);
   * ```
   */
  promote(name: string, from: string, options?: CreateOptions): Promise<Redeployed> {
    return this.#transport.call("promoteDeployment", { params: { deploymentName: name }, body: { from }, options });
  }

  /**
   * How the live version differs from that of another deployment of the project, by default the production one.
   *
   * @example
   * ```ts
   * const { breaking } = await client.deployments.changes("orders-preview-1a2b3c4");
   * for (const { method, path, detail } of breaking) console.log(`${method} ${path}: ${detail}`);
   * ```
   */
  changes(
    name: string,
    { with: other, ...options }: { with?: string } & RequestOptions = {},
  ): Promise<DeploymentChanges> {
    return this.#transport.call("compareDeployments", {
      params: { deploymentName: name },
      query: { with: other },
      options,
    });
  }

  /**
   * The progress of an upload or a redeploy.
   *
   * @example
   * ```ts
   * const { steps, buildResult } = await client.deployments.status("orders", statusId);
   * console.log(steps.build.status, buildResult.errors);
   * ```
   */
  status(project: string, statusId: string, options?: RequestOptions): Promise<DeploymentStatus> {
    return this.#transport.call("getDeploymentStatus", { params: { projectName: project, statusId }, options });
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
   * The routes of a version; of the active version by default. With `example`, also a request that a key may send, of
   * `keyBucket` and with `permissions` if they are given.
   *
   * @example
   * ```ts
   * for (const { method, path } of (await client.deployments.routes("orders-main-3f9c2a1")).data) console.log(method, path);
   * ```
   */
  routes(
    name: string,
    {
      version,
      example,
      keyBucket,
      permissions,
      ...options
    }: {
      version?: number;
      example?: boolean;
      keyBucket?: string;
      permissions?: readonly string[];
    } & RequestOptions = {},
  ): Promise<DeployedRoutes> {
    const query = {
      ...(version !== undefined && { version: String(version) }),
      ...(example && { example }),
      ...(keyBucket !== undefined && { keyBucket }),
      ...(permissions !== undefined && { permissions: permissions.join(",") }),
    };
    return this.#transport.call("listDeployedRoutes", { params: { deploymentName: name }, query, options });
  }

  /**
   * Sends a request into the gateway, where it is counted and limited like any other. The response is data.
   *
   * @example
   * ```ts
   * const { status, body, requestId } = await client.deployments.try("orders-main-3f9c2a1", {
   *   method: "GET",
   *   path: "/orders/7",
   *   key: { bucketName: "main", consumerName: "acme", keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu" },
   * });
   * ```
   */
  try(name: string, request: DeploymentTry, options?: RequestOptions): Promise<DeploymentTryResponse> {
    return this.#transport.call("tryDeployment", { params: { deploymentName: name }, body: request, options });
  }

  /**
   * The upstreams of the active version, with the health of their targets as seen by the responding node.
   *
   * @example
   * ```ts
   * for (const { targets } of (await client.deployments.upstreams("orders-main-3f9c2a1")).data)
   *   for (const { url, state } of targets) console.log(url, state);
   * ```
   */
  upstreams(name: string, options?: RequestOptions): Promise<DeployedUpstreams> {
    return this.#transport.call("listDeployedUpstreams", { params: { deploymentName: name }, options });
  }

  /**
   * The versions of a deployment, the oldest first.
   *
   * @example
   * ```ts
   * for await (const { number, isActive } of client.deployments.versions("orders-main-3f9c2a1")) console.log(number, isActive);
   * ```
   */
  versions(name: string, options: PageOptions & RequestOptions = {}): List<DeploymentVersion> {
    return this.#transport.list("listDeploymentVersions", {
      call: { params: { deploymentName: name } },
      paging: options,
    });
  }

  /**
   * A version with its contents: routes, policies with their options, plain variables and code.
   *
   * @example
   * ```ts
   * const { contents } = await client.deployments.version("orders-main-3f9c2a1", 3);
   * console.log(contents.policies, contents.code);
   * ```
   */
  version(name: string, number: number | string, options?: RequestOptions): Promise<DeploymentVersionContents> {
    const params = { deploymentName: name, versionNumber: String(number) };
    return this.#transport.call("getDeploymentVersion", { params, options });
  }

  /**
   * Restores an earlier version, without a build.
   *
   * @example
   * ```ts
   * await client.deployments.rollBack("orders-main-3f9c2a1", { version: 3 });
   * ```
   */
  rollBack(name: string, { version, ...options }: RollBackOptions = {}): Promise<Deployment> {
    const params = { deploymentName: name };
    return this.#transport.call("rollBackDeployment", { params, body: { version }, options });
  }

  /**
   * The newest log lines of a deployment, in chronological order.
   *
   * @example
   * ```ts
   * const lines = await client.deployments.logs("orders-main-3f9c2a1", { kind: "console", limit: 20 });
   * ```
   */
  async logs(name: string, { limit, since, kind, ...options }: LogOptions = {}): Promise<DeploymentLogLine[]> {
    const call = { params: { deploymentName: name }, query: { limit, since, kind }, options };
    return (await this.#transport.call("readDeploymentLog", call)).data;
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
