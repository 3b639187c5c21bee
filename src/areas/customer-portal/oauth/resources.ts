import type { CustomDomains } from "../../../core/hosts/custom-domains.ts";
import { OAuthRejected } from "./oauth-error.ts";

/** The dependencies for finding the deployment of a URL. */
export interface ResourceFinder {
  addresses: { nameIn(host: string): string | undefined };
  domains: Pick<CustomDomains, "find">;
  /** The address of a deployment. Custom domains have its protocol and port. */
  urlOf(deployment: string): string;
}

interface ResourceOwner {
  account_seq: number;
  deployments: readonly string[];
}

/**
 * Returns the deployment that a `resource` (RFC 8707) names: any of its hosts, or a URL below. Without one, the only
 * deployment of the portal. Throws `invalid_target`.
 */
export function deploymentOf(
  finder: ResourceFinder,
  { account_seq, deployments }: ResourceOwner,
  resources: readonly string[],
): string {
  const [resource, ...more] = resources;
  if (more.length > 0) throw invalidTarget("Only one `resource` is supported.");
  if (resource === undefined) {
    const [only, ...others] = deployments;
    if (only === undefined) throw invalidTarget("The portal has no deployment.");
    if (others.length > 0) throw invalidTarget("`resource` is needed: the portal has several deployments.");
    return only;
  }
  const name = find(finder, account_seq, resource);
  if (name === undefined || !deployments.includes(name))
    throw invalidTarget("`resource` is not an address of a deployment of this portal.");
  return name;
}

function find({ addresses, domains, urlOf }: ResourceFinder, accountSeq: number, resource: string): string | undefined {
  const url = URL.parse(resource);
  if (!url || resource.includes("#") || url.username !== "" || url.password !== "") return undefined;
  const { protocol, port } = new URL(urlOf("name"));
  if (url.protocol !== protocol || url.port !== port) return undefined;
  const name = addresses.nameIn(url.host);
  if (name !== undefined) return name;
  const domain = domains.find(url.host);
  if (domain?.accountSeq !== accountSeq) return undefined;
  if (!domain.mounts) return domain.deploymentName;
  const mount = domain.mounts.find(url.pathname);
  return mount === "invalid" ? undefined : mount?.deploymentName;
}

function invalidTarget(description: string): OAuthRejected {
  return new OAuthRejected("invalid_target", description);
}
