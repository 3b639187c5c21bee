import type { Metric, Sample } from "../../platform/telemetry/exposition.ts";
import { Histogram, type Observations } from "../../platform/telemetry/histogram.ts";

/** The requests of one route, by status. */
export class RouteRequests {
  readonly counts = new Map<number, number>();

  constructor(private readonly latencies: Observations) {}

  add(status: number, seconds: number): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    this.latencies.observe(seconds);
  }
}

/** Metrics of the requests that gateways serve. Routes are templates: paths would make a series each. */
export class GatewayMetrics {
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
    );
    const requests: Metric = {
      name: "tollgate_gateway_requests_total",
      help: "Requests to deployments, by deployment, route template and status.",
      type: "counter",
      samples: () => this.#requests(),
    };
    this.metrics = [this.#seconds, requests];
  }

  *#requests(): Generator<Sample> {
    for (const [deployment, routes] of this.#deployments)
      for (const [route, { counts }] of routes)
        for (const [status, value] of counts) yield { labels: { deployment, route, status }, value };
  }

  /** Whoever has one may keep it for as long as the deployment runs. */
  of(deployment: string, route: string): RouteRequests {
    let routes = this.#deployments.get(deployment);
    if (!routes) {
      routes = new Map();
      this.#deployments.set(deployment, routes);
    }
    let requests = routes.get(route);
    if (!requests) {
      requests = new RouteRequests(this.#seconds.of(deployment));
      routes.set(route, requests);
    }
    return requests;
  }

  /** A deployment that is gone leaves no series behind. */
  forget(deployment: string): void {
    this.#deployments.delete(deployment);
    this.#seconds.forget(deployment);
  }
}
