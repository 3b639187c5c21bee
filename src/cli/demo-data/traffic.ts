import type { DemoCustomer } from "./customers.ts";
import { latencyHeader, statusHeader } from "./projects.ts";
import type { SeededRandom } from "./seeded-random.ts";

export const hourMilliseconds = 3_600_000;
export const dayMilliseconds = 24 * hourMilliseconds;

/** A request to the demo's gateway. */
export interface ShopRequest {
  method: string;
  /** Includes the query. */
  path: string;
  key: string | undefined;
  address: string;
  body?: unknown;
  /** How the upstream services respond. */
  latencyMs: number;
  status?: number;
}

/** The state of the business at a point in time. */
export interface Season {
  /** From 0 to 1 over the demo's weeks. */
  progress: number;
  hasLabels: boolean;
  hasPickup: boolean;
  /** Whether a carrier does not respond. */
  isOutage: boolean;
}

/** The share of a day's requests per hour, in 24ths: quiet nights, a peak before noon and one in the evening. */
const hours = [
  0.25, 0.18, 0.14, 0.12, 0.15, 0.25, 0.5, 0.9, 1.35, 1.7, 1.85, 1.8, 1.55, 1.5, 1.6, 1.6, 1.5, 1.35, 1.3, 1.4, 1.35,
  1.0, 0.75, 0.45,
];
const weekend = 0.55;
/** New customers begin with a few requests, and the business grows. */
const settlingDays = 3;
const growth = { from: 0.75, to: 1.1 };

/** The expected number of requests of a customer in the interval that begins at `time`. */
export function demand(
  customer: DemoCustomer,
  { time, length, joinedOn, progress }: { time: number; length: number; joinedOn: number; progress: number },
): number {
  const moment = new Date(time);
  const isWeekend = moment.getUTCDay() % 6 === 0;
  const settled = Math.min(1, 0.25 + (time - joinedOn) / (settlingDays * dayMilliseconds));
  const grown = growth.from + (growth.to - growth.from) * progress;
  const share = (hours[moment.getUTCHours()]! / 24) * (isWeekend ? weekend : 1) * (length / hourMilliseconds);
  return customer.requestsPerDay * share * settled * grown;
}

const places = ["Lisbon", "Porto", "Madrid", "Lyon", "Paris", "Ghent", "Utrecht", "Hamburg", "Berlin", "Oslo", "Malmo"];
const carriers = ["swiftpost", "parcelbird", "northern-freight"];

/** A random request of a customer, usually a valid one. */
export function demoRequestOf(
  { address, plan }: Pick<DemoCustomer, "address" | "plan">,
  key: string,
  season: Season,
  random: SeededRandom,
): ShopRequest {
  const base = { key, address, ...behaviour(plan === "free", season, random) };
  const kind = random.next();
  if (kind < 0.004) return { ...base, method: "GET", path: "/v2/rates" };
  if (kind < 0.01) return { ...base, method: "GET", path: "/rates", key: `${key.slice(0, -1)}!` };
  if (kind < 0.45) return { ...base, method: "GET", path: ratesPath(random) };
  if (kind < 0.74) return { ...base, method: "GET", path: `/tracking/WB${random.integer(100_000, 999_999)}` };
  if (kind < 0.84) return { ...base, method: "GET", path: `/shipments/shp_${random.integer(1000, 9999)}` };
  if (kind < 0.92 || !season.hasLabels) return { ...base, method: "POST", path: "/shipments", body: shipment(random) };
  if (kind < 0.975 || !season.hasPickup) return { ...base, method: "POST", path: "/labels" };
  return { ...base, method: "GET", path: `/carriers/${random.pick(carriers)}/pickup-points` };
}

/**
 * Small customers get no upstream failures: whether a request counts against a small quota must not depend on timing.
 */
function behaviour(
  isSmall: boolean,
  { isOutage }: Season,
  random: SeededRandom,
): Pick<ShopRequest, "latencyMs" | "status"> {
  const kind = random.next();
  const latencyMs = Math.round(
    kind < 0.9 ? random.between(2, 10) : kind < 0.985 ? random.between(10, 30) : random.between(30, 70),
  );
  const failure = random.next();
  if (!isSmall && failure < (isOutage ? 0.35 : 0.003)) return { latencyMs: 60, status: isOutage ? 504 : 502 };
  return failure > 0.985 ? { latencyMs, status: 404 } : { latencyMs };
}

function ratesPath(random: SeededRandom): string {
  // Occasionally a required field is missing.
  const weight = random.chance(0.02) ? "" : `&grams=${random.integer(1, 90) * 100}`;
  return `/rates?from=${random.pick(places)}&to=${random.pick(places)}${weight}`;
}

function shipment(random: SeededRandom): unknown {
  const to = random.pick(places);
  if (random.chance(0.05)) return { to, weight: "2kg" };
  return { to, grams: random.integer(1, 60) * 100, reference: `order-${random.integer(10_000, 99_999)}` };
}

/** Sends requests to a deployment and counts the responses. */
export class ShopTraffic {
  readonly #origin: string;
  readonly #host: string;
  readonly statuses = new Map<number, number>();

  constructor(deploymentUrl: string) {
    const { host, port } = new URL(deploymentUrl);
    this.#host = host;
    this.#origin = `http://127.0.0.1:${port}`;
  }

  get requests(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Sent concurrently: they belong to the same point in time. */
  async send(requests: ShopRequest[]): Promise<void> {
    await Promise.all(requests.map((request) => this.#send(request)));
  }

  async #send({ method, path, key, address, body, latencyMs, status }: ShopRequest): Promise<void> {
    const response = await fetch(this.#origin + path, {
      method,
      headers: {
        host: this.#host,
        "x-forwarded-for": address,
        [latencyHeader]: String(latencyMs),
        ...(status !== undefined && { [statusHeader]: String(status) }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
  }
}
