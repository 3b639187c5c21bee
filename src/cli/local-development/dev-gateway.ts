import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildOptions, type Deployment, type Tollgate, TollgateError } from "../../client/index.ts";
import { readConfig } from "../../config/config.ts";
import { type Server, startServer } from "../../server/server.ts";
import { clientFor } from "../connection/connect.ts";
import { builderCommand } from "../local-server/builder-command.ts";
import { type EnvVariable, envFile, readEnvFile } from "../projects/env-file.ts";
import { copyProject, type DevProject, readProject } from "./dev-project.ts";

export const developer = "developer";
const ampleAmount = 1_000_000;

/** The keys and the plan that `dev` creates for a project. */
interface DevResources {
  /** The developer's keys, by key bucket. */
  keys: Map<string, string>;
  /** The meters of the developer's plan, with their limits. */
  meters: Record<string, number>;
}

/** A real server that contains only what the project needs: keys for its routes and a plan for its quotas. */
export class DevGateway {
  readonly client: Tollgate;
  readonly #keys = new Map<string, string>();
  #metering: { bucketId: string; planId: string } | undefined;
  #meters: Record<string, number> = {};

  private constructor(
    private readonly server: Server,
    token: string,
    private readonly root: string,
    private readonly aliases: Map<string, string>,
  ) {
    // Set at the start, so that this host never serves the management API.
    this.#serveAtLocalhost("not-deployed-yet");
    this.client = clientFor({ url: server.url, token });
  }

  static async start(port: number, warn: (text: string) => void): Promise<DevGateway> {
    const root = await mkdtemp(join(tmpdir(), "tollgate-dev-"));
    try {
      const token = `dev-${crypto.randomUUID()}`;
      const config = readConfig({
        TOLLGATE_DATA_DIR: join(root, "data"),
        TOLLGATE_PORT: String(port),
        TOLLGATE_ADMIN_TOKEN: token,
        TOLLGATE_LOG: "warn",
      });
      const hostAliases = new Map<string, string>();
      const log = { write: warn };
      const server = await startServer(config, { log, readableLog: true, builderCommand, hostAliases });
      return new DevGateway(server, token, root, hostAliases);
    } catch (error) {
      await rm(root, { recursive: true, force: true });
      throw error;
    }
  }

  /** Creates buckets and meters before the deployment: a change may name new ones. */
  async deploy(
    folder: string,
    project: string,
    options: BuildOptions,
  ): Promise<{ deployment: Deployment; settings: DevProject }> {
    const settings = await readProject(folder);
    await this.#furnish(settings);
    await this.#setVariables(project, await readEnvFile(folder));
    const copy = join(this.root, "project");
    await copyProject(folder, copy, this.#metering?.bucketId);
    const deployment = await this.client.deploy(copy, { project, branch: "dev", ...options });
    this.#serveAtLocalhost(deployment.name);
    return { deployment, settings };
  }

  /** The project's own address. Browsers and curl resolve names below localhost; Node and Python do not. */
  get url(): string {
    return `http://localhost:${new URL(this.server.url).port || 80}`;
  }

  #serveAtLocalhost(deployment: string): void {
    const { host } = new URL(this.url);
    this.aliases.set(host, deployment);
  }

  get furnishing(): DevResources {
    return { keys: this.#keys, meters: this.#meters };
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await rm(this.root, { recursive: true, force: true });
  }

  /** Stored as plain values: a change of the file causes a new build, and only the developer can see them. */
  async #setVariables(project: string, wanted: Map<string, EnvVariable>): Promise<void> {
    const variables = this.client.variables(project);
    for (const { name } of await variables.list().all()) if (!wanted.has(name)) await variables.delete(name);
    for (const [name, { value, line }] of wanted)
      await variables.set(name, { value }).catch((error: unknown) => {
        const [rejected] = error instanceof TollgateError ? error.errors : [];
        throw rejected ? new Error(`${envFile}:${line}: ${name} ${rejected.detail}`) : error;
      });
  }

  async #furnish({ policies }: DevProject): Promise<void> {
    for (const { type, options } of Object.values(policies)) {
      if (type === "api-key" && typeof options?.bucket === "string") await this.#makeKey(options.bucket);
      if (type === "quota") for (const meter of Object.keys(options?.meters ?? {})) this.#meters[meter] = ampleAmount;
    }
    if (Object.keys(this.#meters).length > 0) await this.#makePlan();
  }

  async #makeKey(bucket: string): Promise<void> {
    if (this.#keys.has(bucket)) return;
    const { apiKeys } = await this.client.consumers(bucket).create({ name: developer }, { withApiKey: true });
    this.#keys.set(bucket, apiKeys![0]!.key!);
  }

  async #makePlan(): Promise<void> {
    const meters = Object.fromEntries(Object.entries(this.#meters).map(([meter, max]) => [meter, { max }]));
    if (this.#metering) {
      await this.client.plans(this.#metering.bucketId).update(this.#metering.planId, { meters });
      return;
    }
    const { id: bucketId } = await this.client.metering.create();
    const plan = await this.client.plans(bucketId).create({ label: "Dev", planExternalId: "dev", meters });
    await this.client.subscriptions(bucketId).create({
      planIds: [plan.id],
      planExternalIds: [plan.planExternalId],
      status: "active",
      type: "periodic",
      renewalStrategy: "monthly",
      region: "us-central1",
      customerKey: developer,
      subscriptionExternalId: "dev",
      customerExternalId: "dev",
    });
    this.#metering = { bucketId, planId: plan.id };
  }
}
