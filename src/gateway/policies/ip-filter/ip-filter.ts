import { AddressBytes, type Network, parseNetwork } from "../../../lib/network/ip-address.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Policy, RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import type { IpFilterOptions } from "./schema.ts";

interface NamedNetwork extends Network {
  text: string;
}

/** Passes requests by the client's address. Denied networks win over allowed ones. */
export class IpFilterPolicy implements Policy {
  readonly #allow: NamedNetwork[] | undefined;
  readonly #deny: NamedNetwork[];
  /** Reused for each request. */
  readonly #address = new AddressBytes();

  constructor({ allow, deny = [] }: IpFilterOptions) {
    this.#allow = allow?.map(networkOf);
    this.#deny = deny.map(networkOf);
  }

  enter(context: RequestContext): HttpResponse | undefined {
    // On a Unix socket the address is unknown, so it could be a denied one.
    if (!this.#address.parse(context.ip))
      return reject(context, "ip_not_allowed", { decision: { reason: "address_unknown" } });
    const denied = this.#find(this.#deny);
    if (denied) return reject(context, "ip_not_allowed", { decision: { reason: "denied", network: denied.text } });
    if (this.#allow === undefined || this.#find(this.#allow)) return undefined;
    return reject(context, "ip_not_allowed", { decision: { reason: "not_allowed" } });
  }

  #find(networks: NamedNetwork[]): NamedNetwork | undefined {
    for (const network of networks)
      if (this.#address.isIn(network.bytes, 0, network.bytes.length, network.prefixLength)) return network;
    return undefined;
  }
}

function networkOf(text: string): NamedNetwork {
  const network = parseNetwork(text);
  if (typeof network === "string") throw new Error(`"${text}" ${network}`);
  return { ...network, text };
}
