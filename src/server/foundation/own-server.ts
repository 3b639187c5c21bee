import type { Config } from "../../config/config.ts";
import { GatewayAddresses } from "../../core/hosts/addresses.ts";
import { hostnameOf } from "../../lib/network/hosts.ts";
import { OwnServer } from "../../platform/egress/own-server.ts";

/**
 * Returns undefined without trusted proxies: then the server believes no header about the client's address. `isDomain`
 * returns whether a host is a custom domain.
 */
export function ownServerOf(config: Config, isDomain: (host: string) => boolean = () => false): OwnServer | undefined {
  if (config.trustedProxies.length === 0) return undefined;
  const { publicUrl, gatewayUrl = "http://{name}.localhost", portalUrl = "http://{name}.portal.localhost" } = config;
  const sites = [new GatewayAddresses(gatewayUrl, publicUrl), new GatewayAddresses(portalUrl, publicUrl)];
  const names = new Set(
    [...(publicUrl === undefined ? [] : [new URL(publicUrl).host]), ...config.allowedHosts].map(hostnameOf),
  );
  const listening = [config, config.gatewayListener, config.httpListener].map((listener) => listener?.port ?? 0);
  const urls = [publicUrl, config.gatewayUrl, config.portalUrl].filter((url) => url !== undefined);
  return new OwnServer({
    ports: [...listening, ...urls.flatMap(portsOf)].filter((port) => port !== 0),
    isHost: (host) =>
      names.has(hostnameOf(host)) || sites.some((site) => site.nameIn(host) !== undefined) || isDomain(host),
  });
}

/** The port of a public URL. Where that is the default one, the proxy usually also redirects from port 80. */
function portsOf(url: string): number[] {
  const { port } = new URL(url.replace("{name}", "name"));
  return port === "" ? [80, 443] : [Number(port)];
}
