import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { Egress } from "../../../../platform/egress/egress.ts";
import { IdentityProvider } from "../../../access/provider-sign-in/provider.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import { openSecret } from "../settings/client-secret.ts";
import { settingsOf } from "../settings/present.ts";

const maxProviders = 1000;

export interface PortalProvider {
  issuer: string;
  provider: IdentityProvider;
}

/** The identity providers of portals. Each keeps its discovery document and its keys until the portal's settings change. */
export class PortalProviders {
  readonly #byPortal = new Map<string, PortalProvider & { version: number }>();

  constructor(
    private readonly keyring: Keyring,
    /** Customers of the server choose these providers, so the rules for deployments apply. */
    private readonly egress: Egress,
  ) {}

  /** The provider of a portal. Undefined if it has none. */
  of(site: PortalSite): PortalProvider | undefined {
    const { oidc } = settingsOf(site);
    if (!oidc) return undefined;
    const known = this.#byPortal.get(site.id);
    if (known?.version === site.version) return known;
    const provider = new IdentityProvider({ ...oidc, clientSecret: openSecret(this.keyring, site) }, this.egress);
    const opened = { issuer: oidc.issuer, provider, version: site.version };
    if (this.#byPortal.size >= maxProviders) this.#byPortal.clear();
    this.#byPortal.set(site.id, opened);
    return opened;
  }
}
