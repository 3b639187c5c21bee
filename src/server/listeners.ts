import { ConnectionLimiter, type ConnectionLimits } from "../platform/http1/connection-limiter.ts";
import { TrustedProxies } from "../platform/http1/trusted-proxies.ts";
import type { ConsolePages } from "./console-pages.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import { type DispatchOptions, serveAll, serveDeployments, serveHealthAlone, serveManagement } from "./dispatch.ts";
import type { Foundation } from "./foundation.ts";
import { ListenError, type ListenPlace } from "./listen-error.ts";
import { type Listener, type ListenOptions, listen } from "./listener.ts";
import { OwnHosts } from "./own-hosts.ts";

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
    hosts: new OwnHosts(config.publicUrl, config.allowedHosts),
  };
  const open = (place: ListenPlace, handle: ListenOptions["handle"]) => {
    const listener = listenAt(place, {
      host: place.host,
      port: place.port,
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
  const place = { host: config.host, port: config.port, settings: { host: "TOLLGATE_HOST", port: "TOLLGATE_PORT" } };
  if (!config.gatewayListener) return { listener: open(place, serveAll(dispatch)), gatewayListener: undefined };
  const listener = open(place, serveManagement(dispatch));
  const gatewayPlace = {
    ...config.gatewayListener,
    settings: { host: "TOLLGATE_GATEWAY_HOST", port: "TOLLGATE_GATEWAY_PORT" },
  };
  return { listener, gatewayListener: open(gatewayPlace, serveDeployments(dispatch)) };
}

function listenAt(place: ListenPlace, options: ListenOptions): Listener {
  try {
    return listen(options);
  } catch (error) {
    throw new ListenError(place, error);
  }
}
