import type { Database, Engine } from "../../test/support/engines.ts";
import { subscribed } from "../../test/support/metering.ts";
import { account, type Environment } from "../../test/support/server-settings.ts";
import { type SpawnedServer, spawnServer } from "../../test/support/spawned-server.ts";
import type { Random } from "../random.ts";
import { ConsumerLane } from "./consumer-lane.ts";
import { DeployLane } from "./deploy-lane.ts";
import type { Lane } from "./lane.ts";
import { type SharedSubscription, UsageLane, verifySums } from "./usage-lane.ts";
import { WebhookLane } from "./webhook-lane.ts";

const consumerLanes = 4;
const usageLanes = 3;
/** Little enough to be used up before the end of a short run. */
const units = 300;

/** A server on a database that outlives it, and clients that write continuously. */
export class Scene {
  readonly consumerLanes: ConsumerLane[];
  readonly usageLanes: UsageLane[];
  readonly deployLane: DeployLane;
  readonly webhookLane: WebhookLane;
  #server: SpawnedServer;

  private constructor(
    private readonly engine: Engine,
    private readonly database: Database,
    private readonly random: Random,
    private readonly subscription: SharedSubscription,
    server: SpawnedServer,
    upstream: Bun.Server<unknown>,
    private readonly environment: Environment,
  ) {
    this.#server = server;
    const named = <T>(count: number, make: (name: string) => T) =>
      Array.from({ length: count }, (_, index) => make(`lane-${index}`));
    this.consumerLanes = named(
      consumerLanes,
      (name) => new ConsumerLane(`/v1/accounts/${account}/key-buckets/${name}`, random.branch(`consumers ${name}`)),
    );
    this.usageLanes = named(usageLanes, (name) => new UsageLane(name, subscription, random.branch(`usage ${name}`)));
    this.deployLane = new DeployLane(this, upstream, random.branch("deployments"));
    this.webhookLane = new WebhookLane(random.branch("webhooks"));
  }

  static async open(
    engine: Engine,
    database: Database,
    random: Random,
    upstream: Bun.Server<unknown>,
    environment: Environment = {},
  ): Promise<Scene> {
    const server = await spawnServer(engine, { database, environment });
    const { bucket, path } = await subscribed(server.client, { meters: { calls: { max: 1 }, units: { max: units } } });
    const scene = new Scene(engine, database, random, { bucket, path, units }, server, upstream, environment);
    await scene.webhookLane.open(server.client);
    return scene;
  }

  get url(): string {
    return this.#server.url;
  }

  get processId(): number {
    return this.#server.processId;
  }

  get lanes(): Lane[] {
    return [...this.consumerLanes, ...this.usageLanes, this.deployLane, this.webhookLane];
  }

  /** Lets all lanes write and interrupts them with a blow. Resolves when every lane has noticed. */
  async strike(blow: () => Promise<unknown>): Promise<void> {
    let isOver = false;
    const running = Promise.all(this.lanes.map((lane) => lane.run(this.#server.client, () => isOver)));
    // The time is random: nothing is awaited.
    await Promise.race([Bun.sleep(this.random.integer(30, 400)), running]);
    await blow();
    isOver = true;
    await running;
  }

  async killServer(): Promise<void> {
    await this.#server.kill("SIGKILL");
    await this.#server.stop();
  }

  async startServer(): Promise<void> {
    this.#server = await spawnServer(this.engine, { database: this.database, environment: this.environment });
  }

  isReady = async (): Promise<boolean> => {
    const ready = await fetch(`${this.url}/readyz`).catch(() => undefined);
    return ready?.status === 200;
  };

  async verify(): Promise<void> {
    const { client } = this.#server;
    for (const lane of this.lanes) await lane.verify(client);
    await verifySums(client, this.subscription, this.usageLanes);
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await this.webhookLane.close();
  }
}
