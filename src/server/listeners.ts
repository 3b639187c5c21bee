import { ConnectionLimiter, type ConnectionLimits } from "../platform/http1/connection-limiter.ts";
import { TrustedProxies } from "../platform/http1/trusted-proxies.ts";
import type { ConsolePages } from "./console-pages.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import { type DispatchOptions, serveAll, serveDeployments, serveHealthAlone, serveManagement } from "./dispatch.ts";
import type { Foundation } from "./foundation.ts";
import { type Listener, type ListenOptions, listen } from "./listener.ts";

interface Planes {
  controlPlane: ControlPlane;
  dataPlane: DataPlane;
  console: ConsolePages;
  limits: ConnectionLimits;
}

/** One listener for everything, or one for the management API and one for deployments. */
export function openListeners(
  { config, clock, log, metrics, lifecycle }: Foundation,
  { controlPlane, dataPlane, console, limits }: Planes,
): { listener: Listener; gatewayListener: Listener | undefined } {
  const { system, pipeline } = controlPlane;
  const limiter = new ConnectionLimiter(limits);
  metrics.connections(() => limiter);
  const dispatch: DispatchOptions = {
    clock,
    system,
    console,
    handle: (request) => pipeline.handle(request),
    gateway: dataPlane.gateway,
    hosts: dataPlane.ownHosts,
  };
  const open = (host: string, port: number, handle: ListenOptions["handle"]) => {
    const listener = listen({
      host,
      port,
      clock,
      log,
      metrics,
      handle,
      handleOverflow: serveHealthAlone(system, clock),
      limiter,
      timeouts: { bodySeconds: config.bodyTimeoutSeconds, minBodyBytesPerSecond: config.bodyMinBytesPerSecond },
      trustedProxies: new TrustedProxies(config.trustedProxies),
      proxyProtocol: config.proxyProtocol,
    });
    lifecycle.onClose("listener", () => listener.stop());
    return listener;
  };
  if (!config.gatewayListener)
    return { listener: open(config.host, config.port, serveAll(dispatch)), gatewayListener: undefined };
  const { host, port } = config.gatewayListener;
  const listener = open(config.host, config.port, serveManagement(dispatch));
  return { listener, gatewayListener: open(host, port, serveDeployments(dispatch)) };
}
