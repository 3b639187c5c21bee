import { ConnectionLimiter, type ConnectionLimits } from "../platform/http1/server/connection-limiter.ts";
import { TrustedProxies } from "../platform/http1/server/trusted-proxies.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import type { Foundation } from "./foundation.ts";
import type { ConsolePages } from "./http/console-pages.ts";
import { type DispatchOptions, serveAll, serveDeployments, serveHealthOnly, serveManagement } from "./http/dispatch.ts";
import { type Listener, type ListenOptions, listen } from "./http/listener.ts";
import { servePlainHttp } from "./http/plain-http.ts";
import type { OwnAddress } from "./own-address.ts";
import type { Tls } from "./tls.ts";

interface Planes {
  controlPlane: ControlPlane;
  dataPlane: DataPlane;
  console: ConsolePages;
  limits: ConnectionLimits;
  address: OwnAddress;
  tls: Tls | undefined;
}

/**
 * Opens one listener for everything, or one each for the management API and for deployments; with TLS also one for
 * plain HTTP.
 */
export function openListeners(
  { config, clock, log, metrics, lifecycle }: Foundation,
  { controlPlane, dataPlane, console, limits, address, tls }: Planes,
): { listener: Listener; gatewayListener: Listener | undefined } {
  const { system, pipeline } = controlPlane;
  const limiter = new ConnectionLimiter(limits);
  metrics.connections(() => limiter);
  const hosts = dataPlane.ownHosts;
  const dispatch: DispatchOptions = {
    clock,
    system,
    console,
    handle: (request) => pipeline.handle(request),
    gateway: dataPlane.gateway,
    hosts,
    hasTls: tls !== undefined,
  };
  const open = (host: string, port: number, handle: ListenOptions["handle"], isPlain = false) => {
    const listener = listen({
      host,
      port,
      clock,
      log,
      metrics,
      handle,
      handleOverflow: serveHealthOnly(system, clock),
      limiter,
      timeouts: { bodySeconds: config.bodyTimeoutSeconds, minBodyBytesPerSecond: config.bodyMinBytesPerSecond },
      trustedProxies: new TrustedProxies(config.trustedProxies),
      proxyProtocol: config.proxyProtocol,
      ...(tls && !isPlain && { tls: tls.options }),
    });
    lifecycle.onClose("listener", () => listener.stop());
    return listener;
  };
  const plain = config.httpListener;
  if (plain) {
    const portOf = (hostname: string) => {
      const isManagement = hosts.owns(hostname) && !dataPlane.domains.find(hostname);
      return address.externalPorts[isManagement ? "management" : "gateway"];
    };
    const challenge = async (token: string) => tls?.challenge(token);
    open(plain.host, plain.port, servePlainHttp({ system, challenge, portOf }), true);
  }
  if (!config.gatewayListener)
    return { listener: open(config.host, config.port, serveAll(dispatch)), gatewayListener: undefined };
  const { host, port } = config.gatewayListener;
  const listener = open(config.host, config.port, serveManagement(dispatch));
  return { listener, gatewayListener: open(host, port, serveDeployments(dispatch)) };
}
