import type { Metric, Sample } from "../../platform/telemetry/exposition.ts";
import { Histogram, type Observations } from "../../platform/telemetry/histogram.ts";

/** Of routes by status, and of deployments with a histogram. A scrape of as many takes about 20 ms. */
const mostSeries = 10_000;
const mostDeployments = 500;

/** In place of names and statuses that are too many. */
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
    // An upstream chooses its statuses.
    const shown = this.series.count < mostSeries ? status : other;
    const known = this.counts.get(shown);
    if (known === undefined) this.series.count += 1;
    this.counts.set(shown, (known ?? 0) + 1);
  }
}

/**
 * Metrics of the requests that gateways serve. Routes are templates: paths would make a series each. Beyond the bounds, those of
 * further deployments and routes are counted as others.
 */
export class GatewayMetrics {
  readonly #series = { count: 0 };
  /** By deployment, then by route. */
  readonly #deployments = new Map<string, Map<string, RouteRequests>>();
  readonly #seconds: Histogram;
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
    this.metrics = [this.#seconds, requests];
  }

  *#requests(): Generator<Sample> {
    for (const [deployment, routes] of this.#deployments)
      for (const [route, { counts }] of routes)
        for (const [status, value] of counts) yield { labels: { deployment, route, status }, value };
  }

  /** May be kept for as long as the deployment runs. */
  of(deployment: string, route: string): RouteRequests {
    const isFull = this.#deployments.size >= mostDeployments && !this.#deployments.has(deployment);
    return isFull ? this.#of(other, other) : this.#of(deployment, this.#series.count < mostSeries ? route : other);
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

  /** A deployment that is gone leaves no series behind. */
  forget(deployment: string): void {
    for (const { counts } of this.#deployments.get(deployment)?.values() ?? []) this.#series.count -= counts.size;
    this.#deployments.delete(deployment);
    this.#seconds.forget(deployment);
  }
}
