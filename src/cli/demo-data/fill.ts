import { randomUUID } from "node:crypto";
import { Tollgate } from "../../client/index.ts";
import type { Config } from "../../config/config.ts";
import { type Server, type ServerOptions, startServer } from "../../server/server.ts";
import { builderCommand } from "../local-server/builder-command.ts";
import { Business } from "./business.ts";
import { MovingClock } from "./moving-clock.ts";
import { SeededRandom } from "./seeded-random.ts";
import { type Happening, Story } from "./story.ts";
import { dayMilliseconds, demand, demoRequestOf, hourMilliseconds, type ShopRequest } from "./traffic.ts";

const minuteMilliseconds = 60_000;

interface FillOptions {
  /** The end of the demo's period: now. */
  until: number;
  weeks: number;
  seed: string;
  /** The share of the usual traffic. */
  traffic: number;
  onProgress(progress: { share: number; time: number; requests: number }): void;
  /** Called with each error that the server logs. */
  warn(text: string): void;
  /** Replaces the builder's process. */
  runBuilder?: ServerOptions["runBuilder"];
}

/** The created data; the numbers are those that the API returns. */
export interface Filled {
  firstStart: Server["firstStart"];
  deployment: { name: string; url: string };
  /** A customer's key, for trying the gateway. */
  key: string;
  customers: number;
  requests: number;
  statuses: Map<number, number>;
  events: number;
}

/**
 * Fills an empty installation. It runs the real server on loopback with a clock that begins weeks ago and is advanced
 * until now. Staff, pipelines and customers call it over HTTP, so the server counted every number itself.
 */
export async function fill(
  config: Config,
  { until, weeks, seed, traffic: volume, onProgress, warn, runBuilder }: FillOptions,
): Promise<Filled> {
  const span = { from: until - weeks * 7 * dayMilliseconds, to: until };
  const clock = new MovingClock(span.from);
  const random = new SeededRandom(seed);
  const operatorToken = `demo-${randomUUID()}`;
  const server = await startServer(
    { ...config, ...onLoopback(config), operatorToken, insight: true, logLevel: "error", traces: undefined },
    { clock, builderCommand, log: { write: warn }, ...(runBuilder && { runBuilder }) },
  );
  try {
    const operator = new Tollgate({ url: server.url, token: operatorToken, account: config.account });
    const business = new Business({ operator, url: server.url, clock, random, volume });
    const story = new Story(business, clock, span);
    await new Filling(server, clock, business, story, random).run(span, onProgress);
    const { deployment, traffic, reportedEvents } = story;
    return {
      firstStart: server.firstStart,
      deployment,
      key: business.accounts.get("northwind-traders")!.key,
      customers: business.accounts.size,
      requests: traffic.requests,
      statuses: traffic.statuses,
      events: reportedEvents,
    };
  } finally {
    await server.stop();
  }
}

/** No other client can reach this server, so it can trust the client addresses in the demo's requests. */
function onLoopback({ gatewayListener }: Config): Partial<Config> {
  const host = "127.0.0.1";
  return {
    host,
    gatewayListener: gatewayListener && { ...gatewayListener, host },
    tls: undefined,
    httpListener: undefined,
    publicUrl: undefined,
    gatewayUrl: undefined,
    portalUrl: undefined,
    allowedHosts: [],
    egress: "any",
    trustedProxies: ["loopback"],
    proxyProtocol: false,
  };
}

/** Advances the clock step by step and runs the events of each step. */
class Filling {
  #caughtUp = { time: 0, requests: 0, moments: 0 };

  constructor(
    private readonly server: Server,
    private readonly clock: MovingClock,
    private readonly business: Business,
    private readonly story: Story,
    private readonly random: SeededRandom,
  ) {}

  async run(span: { from: number; to: number }, onProgress: FillOptions["onProgress"]): Promise<void> {
    const happenings = this.story.happenings();
    for (const { time, length } of steps(span)) {
      await this.#happen(happenings, time);
      this.clock.moveTo(time);
      const requests = this.#requests(time, length);
      if (requests.length > 0) {
        await this.story.traffic.send(requests);
        this.#caughtUp.moments += 1;
      }
      if (this.#isBehind()) await this.#catchUp();
      const share = (time - span.from) / (span.to - span.from);
      onProgress({ share, time, requests: this.story.traffic.requests });
    }
    await this.#happen(happenings, span.to);
    this.clock.moveTo(span.to);
    await this.#catchUp();
  }

  async #happen(happenings: Happening[], until: number): Promise<void> {
    while (happenings.length > 0 && happenings[0]!.at <= until) {
      const { at, run } = happenings.shift()!;
      this.clock.moveTo(at);
      await run();
      await this.#catchUp();
    }
  }

  /**
   * The server keeps the counts of 120 minutes and 2,000 requests in memory; webhook deliveries are due by the clock.
   */
  #isBehind(): boolean {
    const { time, requests, moments } = this.#caughtUp;
    const isLate = this.clock.now() - time >= 12 * hourMilliseconds;
    return isLate || moments >= 60 || this.story.traffic.requests - requests >= 1_000;
  }

  async #catchUp(): Promise<void> {
    await this.server.catchUp();
    this.#caughtUp = { time: this.clock.now(), requests: this.story.traffic.requests, moments: 0 };
  }

  #requests(time: number, length: number): ShopRequest[] {
    const random = this.random.for(`requests ${time}`);
    const season = this.story.season(time);
    return [...this.business.accounts.values()].flatMap(({ customer, joinedOn, key }) => {
      const expected = demand(customer, { time, length, joinedOn, progress: season.progress });
      return Array.from({ length: random.poisson(expected) }, () => demoRequestOf(customer, key, season, random));
    });
  }
}

/** Steps get shorter towards the end, like the resolution of the server's analytics. */
function* steps({ from, to }: { from: number; to: number }): Generator<{ time: number; length: number }> {
  let time = from + 30 * minuteMilliseconds;
  while (time < to) {
    const left = to - time;
    const length =
      left > 2 * dayMilliseconds
        ? hourMilliseconds
        : left > 3 * hourMilliseconds
          ? 10 * minuteMilliseconds
          : minuteMilliseconds;
    yield { time, length };
    time += length;
  }
}
