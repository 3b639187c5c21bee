import { Counter, type Registry } from "prom-client";
import { RequestHistogram } from "./request-histogram.ts";

/** Requests of one deployment, by route and status. */
type RouteCounts = Map<string, Map<number, number>>;

/** What gateways tell of the requests they serve. Routes are templates: paths would make a series each. */
export class GatewayMetrics {
  readonly #deployments = new Map<string, RouteCounts>();
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
          for (const [route, counts] of routes)
            for (const [status, count] of counts) this.inc({ deployment, route, status }, count);
      },
    });
  }

  request(deployment: string, route: string, status: number, seconds: number): void {
    let routes = this.#deployments.get(deployment);
    if (!routes) {
      routes = new Map();
      this.#deployments.set(deployment, routes);
    }
    let counts = routes.get(route);
    if (!counts) {
      counts = new Map();
      routes.set(route, counts);
    }
    counts.set(status, (counts.get(status) ?? 0) + 1);
    this.#seconds.observe(deployment, seconds);
  }

  /** A deployment that is gone leaves no series behind. */
  forget(deployment: string): void {
    this.#deployments.delete(deployment);
    this.#seconds.forget(deployment);
  }
}
