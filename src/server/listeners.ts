import { hostnameOf, isHost } from "../lib/network/hosts.ts";
import { BufferMemory } from "../platform/http1/memory/buffer-memory.ts";
import { HttpHeaders } from "../platform/http1/message/headers.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { splitTarget } from "../platform/http1/message/target.ts";
import { ConnectionLimiter, type ConnectionLimits } from "../platform/http1/server/connection-limiter.ts";
import type { HandlerResult } from "../platform/http1/server/request-handler.ts";
import { TrustedProxies } from "../platform/http1/server/trusted-proxies.ts";
import type { ListeningSocket } from "../platform/processes/listening-sockets.ts";
import type { Tls } from "./background-services/tls.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { DataPlane } from "./data-plane.ts";
import {
  type DispatchOptions,
  isHttpsOnly,
  serveAll,
  serveDeployments,
  serveManagement,
  serveProbesOnly,
} from "./dispatch/dispatch.ts";
import { type Listener, type ListenOptions, listen } from "./dispatch/listener.ts";
import { probePaths } from "./dispatch/probes.ts";
import type { SystemRoute } from "./dispatch/system-routes.ts";
import type { Foundation } from "./foundation/foundation.ts";
import type { OwnAddress } from "./foundation/own-address.ts";
import type { Pages } from "./pages/app-pages.ts";
import { PortalPages } from "./pages/portal-pages.ts";
import { PortalSites } from "./pages/portal-sites.ts";
import type { WebFile } from "./pages/web-pack.ts";

interface Planes {
  controlPlane: ControlPlane;
  dataPlane: DataPlane;
  apps: Pages[];
  /** The pages of portals; undefined if they were not built. */
  portalFiles: WebFile[] | undefined;
  limits: ConnectionLimits;
  address: OwnAddress;
  tls: Tls | undefined;
  /** The sockets at which workers forward requests; the workers have the public ones. */
  sockets?: ListenerSockets | undefined;
}

/** The sockets of the listeners, each with the public port. */
export interface ListenerSockets {
  main: ListeningSocket;
  gateway?: ListeningSocket | undefined;
  plain?: ListeningSocket | undefined;
}

/**
 * Opens one listener for everything, or one each for the management API and for deployments; with TLS also one for
 * plain HTTP.
 */
export function openListeners(
  { config, clock, log, metrics, storage, lifecycle }: Foundation,
  { controlPlane, dataPlane, apps, portalFiles, limits, address, tls, sockets }: Planes,
): { listener: Listener; gatewayListener: Listener | undefined; listeners: readonly Listener[] } {
  const listeners: Listener[] = [];
  const { system, pipeline, portal } = controlPlane;
  const limiter = new ConnectionLimiter(limits);
  const memory = BufferMemory.ofProcess(Math.max(1, config.workers));
  metrics.connections(
    () => limiter,
    () => memory.used,
  );
  const hosts = dataPlane.ownHosts;
  const dispatch: DispatchOptions = {
    clock,
    system,
    apps,
    handle: (request) => pipeline.handle(request),
    assistant: controlPlane.assistant,
    gateway: dataPlane.gateway,
    portals: new PortalSites({
      directory: dataPlane.portals,
      pages: new PortalPages(portalFiles, { storage, clock, ...portal }),
      api: async (request) => (await portal.api()).pipeline.handle(request),
      clock,
      log,
      isHttps: isHttpsOnly(config),
    }),
    hosts,
    isHttps: isHttpsOnly(config),
  };
  const open = (
    { host, port }: { host: string; port: number },
    handle: ListenOptions["handle"],
    name: keyof ListenerSockets,
  ) => {
    const socket = sockets?.[name];
    const listener = listen({
      address: socket ?? { hostname: host, port },
      clock,
      log,
      metrics,
      handle,
      handleOverflow: serveProbesOnly(system, clock),
      // Workers limit their connections.
      ...(socket ? undefined : { limiter }),
      timeouts: { bodySeconds: config.bodyTimeoutSeconds, minBodyBytesPerSecond: config.bodyMinBytesPerSecond },
      memory,
      trustedProxies: new TrustedProxies(config.trustedProxies),
      proxyProtocol: socket ? "always" : config.proxyProtocol,
      ...(tls && name !== "plain" && !socket && { tls: tls.options }),
    });
    dataPlane.ownServer?.listensOn(listener.port);
    listeners.push(listener);
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
    open(plain, servePlainHttp({ system, challenge, portOf }), "plain");
  }
  if (!config.gatewayListener)
    return { listener: open(config, serveAll(dispatch), "main"), gatewayListener: undefined, listeners };
  const listener = open(config, serveManagement(dispatch), "main");
  return { listener, gatewayListener: open(config.gatewayListener, serveDeployments(dispatch), "gateway"), listeners };
}

interface PlainHttpOptions {
  system: Record<string, SystemRoute>;
  /** The response to an HTTP-01 challenge, if it exists. */
  challenge(token: string): Promise<string | undefined>;
  /** The URL that serves the host with TLS. */
  portOf(hostname: string): number;
}

const challengePath = "/.well-known/acme-challenge/";

/** Plain HTTP beside TLS: handles challenges and probes, and redirects everything else. */
function servePlainHttp({ system, challenge, portOf }: PlainHttpOptions): (request: HttpRequest) => HandlerResult {
  return (request) => {
    const { path } = splitTarget(request.target);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && path.startsWith(challengePath)) return respond(challenge(path.slice(challengePath.length)));
    if (isRead && probePaths.has(path)) return system[path]!(request);
    const host = request.headers.get("host");
    if (host === null || !isHost(host)) return text(400, "The request has no host.");
    const hostname = hostnameOf(host);
    const port = portOf(hostname);
    const location = `https://${hostname}${port === 443 ? "" : `:${port}`}${request.target}`;
    // 308 keeps the method; after a 301, clients would send a GET instead of a POST.
    return new HttpResponse(308, new HttpHeaders({ location }));
  };
}

async function respond(found: Promise<string | undefined>): Promise<HttpResponse> {
  const keyAuthorization = await found;
  return keyAuthorization === undefined ? text(404, "There is no such challenge.") : text(200, keyAuthorization);
}

function text(status: number, body: string): HttpResponse {
  return new HttpResponse(status, new HttpHeaders({ "content-type": "text/plain" }), body);
}
