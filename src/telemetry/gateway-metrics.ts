import { Counter, type Registry } from "prom-client";
import { type Latencies, RequestHistogram } from "./request-histogram.ts";

/** The requests of one route, by status. */
export class RouteRequests {
  readonly counts = new Map<number, number>();

  constructor(private readonly latencies: Latencies) {}

  add(status: number, seconds: number): void {
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    this.latencies.observe(seconds);
  }
}

/** What gateways tell of the requests they serve. Routes are templates: paths would make a series each. */
export class GatewayMetrics {
  /** By deployment, then by route. */
  readonly #deployments = new Map<string, Map<string, RouteRequests>>();
  readonly #seconds: RequestHistogram;

  constructor(registry: Registry, bounds: number[]) {
    this.#seconds = new RequestHistogram(
      "tollgate_gateway_request_duration_seconds",
      "Time from request to the head of the answer, by deployment.",
      bounds,
      "deployment",
    );
    registry.registerMetric(this.#seconds.asMetric());
    const deployments = this.#deployments;
    new Counter({
      name: "tollgate_gateway_requests_total",
      help: "Requests to deployments, by deployment, route template and status.",
      labelNames: ["deployment", "route", "status"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [deployment, routes] of deployments)
          for (const [route, { counts }] of routes)
            for (const [status, count] of counts) this.inc({ deployment, route, status }, count);
      },
    });
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
