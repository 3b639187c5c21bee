import { type CountedMinute, Minutes } from "./count-writer.ts";
import { none, other } from "./counted-table.ts";
import { TrafficCounts } from "./traffic.ts";

/** The version of a deployment that served a request. */
export interface CountedVersion {
  readonly accountSeq: number;
  readonly deploymentSeq: number;
  readonly versionSeq: number;
}

/** A route of a running version. The same object means the same route of the same version. */
interface CountedRoute {
  readonly route: { readonly path: string };
  /** The tool of an agent, if it called the operation. */
  readonly tool?: string;
  /** The policy in `observe` that decided: such requests count only for it. */
  readonly policy?: string;
}

/** The requests with one status. */
export class TrafficCell extends TrafficCounts {
  /** `client` is the name of the OAuth client, or the name that the client of an agent gives itself. */
  constructor(
    readonly status: number,
    readonly client: string,
    readonly consumerId: string,
  ) {
    super();
  }
}

/** The requests to one route of one version. */
export interface RouteTraffic {
  readonly version: CountedVersion;
  readonly path: string;
  readonly tool: string;
  readonly policy: string;
  /** By consumer, then by key, then by status. A list, because there are few. */
  readonly consumers: Map<string, Map<string, TrafficCell[]>>;
  /** The counters of the deployment in the same minute. */
  readonly budget: { cells: number };
}

export interface TrafficMinute extends CountedMinute {
  readonly routes: Map<CountedRoute | CountedVersion, RouteTraffic>;
  readonly budgets: Map<number, { cells: number }>;
}

interface TrafficBounds {
  /**
   * The maximum number of cells of one deployment between two writes. Beyond it consumers are not distinguished, and
   * beyond half of it keys are not.
   */
  cellsOfDeployment: number;
  /** The maximum number of cells of all deployments, including unconfirmed ones. */
  cells: number;
  /** See Minutes. */
  minutes: number;
}

const defaultBounds: TrafficBounds = { cellsOfDeployment: 20_000, cells: 100_000, minutes: 120 };

/**
 * Counts requests in memory, by minute, until they are written. A request costs a few look-ups, and allocates only if
 * it is the first of its route, consumer, key and status since the last write.
 */
export class TrafficCounter {
  readonly minutes: Minutes<TrafficMinute>;

  constructor(private readonly bounds: TrafficBounds = defaultBounds) {
    this.minutes = new Minutes(bounds.minutes, (time) => ({ time, size: 0, routes: new Map(), budgets: new Map() }));
  }

  /** Without a route: no route matched the path or the method. `consumerId`: of a consumer of a key bucket. */
  count(
    version: CountedVersion,
    route: CountedRoute | undefined,
    consumer: string | undefined,
    keyId: string | undefined,
    client: string | undefined,
    status: number,
    isRejected: boolean,
    bytesIn: number,
    bytesOut: number,
    milliseconds: number,
    now: number,
    consumerId?: string,
  ): void {
    const cell = this.#cellOf(version, route, consumer, consumerId, keyId, client, status, now);
    cell.requests += 1;
    if (isRejected) cell.rejected += 1;
    if (status >= 500) cell.errors += 1;
    cell.bytesIn += bytesIn;
    cell.bytesOut += bytesOut;
    cell.latency.add(milliseconds);
  }

  /** Adds bytes to a request that was counted before its bodies had ended. */
  addBytes(
    version: CountedVersion,
    route: CountedRoute | undefined,
    consumer: string | undefined,
    keyId: string | undefined,
    client: string | undefined,
    status: number,
    bytesIn: number,
    bytesOut: number,
    now: number,
    consumerId?: string,
  ): void {
    const cell = this.#cellOf(version, route, consumer, consumerId, keyId, client, status, now);
    cell.bytesIn += bytesIn;
    cell.bytesOut += bytesOut;
  }

  /** Adds to a request that was counted that a policy in `observe` would have rejected it. */
  observe(
    version: CountedVersion,
    route: CountedRoute,
    consumer: string | undefined,
    keyId: string | undefined,
    client: string | undefined,
    status: number,
    now: number,
    consumerId?: string,
  ): void {
    this.#cellOf(version, route, consumer, consumerId, keyId, client, status, now).observed += 1;
  }

  #cellOf(
    version: CountedVersion,
    route: CountedRoute | undefined,
    consumer: string | undefined = none,
    consumerId: string | undefined = none,
    keyId: string | undefined = none,
    client: string | undefined = none,
    status: number,
    now: number,
  ): TrafficCell {
    const minute = this.minutes.at(now);
    const traffic = minute.routes.get(route ?? version) ?? openRoute(minute, version, route);
    const cells = traffic.consumers.get(consumer)?.get(keyId);
    if (cells)
      for (const cell of cells)
        if (cell.status === status && cell.client === client && cell.consumerId === consumerId) return cell;
    return this.#openCell(minute, traffic, consumer, consumerId, keyId, client, status);
  }

  #openCell(
    minute: TrafficMinute,
    traffic: RouteTraffic,
    consumer: string,
    consumerId: string,
    keyId: string,
    client: string,
    status: number,
  ): TrafficCell {
    const { consumers, budget } = traffic;
    const { cellsOfDeployment, cells: maxCells } = this.bounds;
    const use = Math.max(budget.cells / cellsOfDeployment, this.minutes.size / maxCells);
    const countedConsumer = use >= 1 && consumer !== none ? other : consumer;
    // A consumer with thousands of keys must not use up the cells of other consumers.
    const countedKey = use >= 0.5 && keyId !== none ? other : keyId;
    const keys = consumers.get(countedConsumer) ?? new Map<string, TrafficCell[]>();
    const cells = keys.get(countedKey) ?? [];
    const isOneOfMany = use >= 1 || (cells.length >= maxClients && isNewClient(cells, client));
    const countedClient = isOneOfMany && client !== none ? other : client;
    // One name has few ids: one for each key bucket.
    const countedId = use >= 1 && consumerId !== none ? other : consumerId;
    const known = cells.find(
      (cell) => cell.status === status && cell.client === countedClient && cell.consumerId === countedId,
    );
    if (known) return known;
    const cell = new TrafficCell(status, countedClient, countedId);
    consumers.set(countedConsumer, keys.set(countedKey, [...cells, cell]));
    budget.cells += 1;
    this.minutes.grow(minute);
    return cell;
  }
}

/** The number of clients that one caller can name in a minute. */
const maxClients = 8;

function isNewClient(cells: readonly TrafficCell[], client: string): boolean {
  const known = new Set(cells.map((cell) => cell.client));
  return known.size >= maxClients && !known.has(client);
}

function openRoute(minute: TrafficMinute, version: CountedVersion, route: CountedRoute | undefined): RouteTraffic {
  const budget = minute.budgets.get(version.deploymentSeq) ?? { cells: 0 };
  minute.budgets.set(version.deploymentSeq, budget);
  const { tool = none, policy = none } = route ?? {};
  const traffic = { version, path: route?.route.path ?? none, tool, policy, consumers: new Map(), budget };
  minute.routes.set(route ?? version, traffic);
  return traffic;
}
