import type { Metric, Sample } from "../../platform/telemetry/exposition.ts";
import { Histogram, type Observations } from "../../platform/telemetry/histogram.ts";
import { ModelMetrics } from "./model-metrics.ts";

/**
 * The maximum number of series of routes by status, and of deployments with a histogram. A scrape of that many takes
 * about 20 ms.
 */
const maxSeries = 10_000;
const maxDeployments = 500;

/** Replaces names and statuses beyond the maximum. */
const other = "other";

/** The requests of one route, by status. */
export class RouteRequests {
  readonly counts = new Map<number | typeof other, number>();

  constructor(
    private readonly latencies: Observations,
    private readonly series: { count: number },
  ) {}

  add(status: number, seconds: number): void {
    const known = this.counts.get(status);
    if (known !== undefined) this.counts.set(status, known + 1);
    else this.#addNew(status);
    this.latencies.observe(seconds);
  }

  #addNew(status: number): void {
    // An upstream can return any number of statuses.
    const shown = this.series.count < maxSeries ? status : other;
    const known = this.counts.get(shown);
    if (known === undefined) this.series.count += 1;
    this.counts.set(shown, (known ?? 0) + 1);
  }
}

/** A target of an upstream. */
export interface TargetStatistics {
  deployment: string;
  target: string;
  isAvailable: boolean;
  succeeded: number;
  failed: number;
}

/** The retries of an upstream, identified by its first target. */
export interface RetryStatistics {
  deployment: string;
  upstream: string;
  retried: number;
  denied: number;
}

export interface UpstreamStatistics {
  targets: Iterable<TargetStatistics>;
  retries: Iterable<RetryStatistics>;
}

/**
 * Metrics of the requests that gateways serve. Routes are path templates, because each path would be a series of its
 * own. Beyond the maximum, further deployments and routes are counted as others.
 */
export class GatewayMetrics {
  readonly #series = { count: 0 };
  /** By deployment, then by route. */
  readonly #deployments = new Map<string, Map<string, RouteRequests>>();
  #upstreams: () => UpstreamStatistics = () => ({ targets: [], retries: [] });
  readonly #seconds: Histogram;
  readonly models = new ModelMetrics();
  readonly metrics: Metric[];

  constructor(bounds: number[]) {
    this.#seconds = new Histogram(
      "tollgate_gateway_request_duration_seconds",
      "Time from request to the head of the response, by deployment.",
      bounds,
      "deployment",
      ["deployment"],
    );
    const requests: Metric = {
      name: "tollgate_gateway_requests_total",
      help: "Requests to deployments, by deployment, route template and status.",
      type: "counter",
      names: ["deployment", "route"],
      samples: () => this.#requests(),
    };
    this.metrics = [this.#seconds, requests, ...this.#upstreamMetrics(), ...this.models.metrics];
  }

  /** The source of upstream statistics. */
  watchUpstreams(statistics: () => UpstreamStatistics): void {
    this.#upstreams = statistics;
  }

  #upstreamMetrics(): Metric[] {
    const targets = (valuesOf: (target: TargetStatistics) => [Record<string, string>, number][]) => () =>
      [...this.#upstreams().targets].flatMap((statistics) =>
        valuesOf(statistics).map(([more, value]): Sample => {
          const { deployment, target } = statistics;
          return { labels: { deployment, target, ...more }, value };
        }),
      );
    const outcomes = ["retried", "denied"] as const;
    return [
      {
        name: "tollgate_upstream_target_up",
        help: "1 if a target gets requests, 0 if it is unhealthy or ejected.",
        type: "gauge",
        names: ["deployment", "target"],
        samples: targets(({ isAvailable }) => [[{}, Number(isAvailable)]]),
      },
      {
        name: "tollgate_upstream_attempts_total",
        help: "Attempts to send a request to a target, by outcome.",
        type: "counter",
        names: ["deployment", "target"],
        samples: targets(({ succeeded, failed }) => [
          [{ outcome: "succeeded" }, succeeded],
          [{ outcome: "failed" }, failed],
        ]),
      },
      {
        name: "tollgate_upstream_retries_total",
        help: "Retries of an upstream, by its first target: sent, or denied because the budget was used.",
        type: "counter",
        names: ["deployment", "upstream"],
        samples: () =>
          [...this.#upstreams().retries].flatMap(({ deployment, upstream, ...counts }) =>
            outcomes.map((outcome): Sample => ({ labels: { deployment, upstream, outcome }, value: counts[outcome] })),
          ),
      },
    ];
  }

  *#requests(): Generator<Sample> {
    for (const [deployment, routes] of this.#deployments)
      for (const [route, { counts }] of routes)
        for (const [status, value] of counts) yield { labels: { deployment, route, status }, value };
  }

  /** The caller may keep the result as long as the deployment runs. */
  of(deployment: string, route: string): RouteRequests {
    const isFull = this.#deployments.size >= maxDeployments && !this.#deployments.has(deployment);
    return isFull ? this.#of(other, other) : this.#of(deployment, this.#series.count < maxSeries ? route : other);
  }

  #of(deployment: string, route: string): RouteRequests {
    let routes = this.#deployments.get(deployment);
    if (!routes) {
      routes = new Map();
      this.#deployments.set(deployment, routes);
    }
    let requests = routes.get(route);
    if (!requests) {
      requests = new RouteRequests(this.#seconds.of(deployment), this.#series);
      routes.set(route, requests);
    }
    return requests;
  }

  /** Removes the series of a deleted deployment. */
  forget(deployment: string): void {
    for (const { counts } of this.#deployments.get(deployment)?.values() ?? []) this.#series.count -= counts.size;
    this.#deployments.delete(deployment);
    this.#seconds.forget(deployment);
    this.models.forget(deployment);
  }
}
