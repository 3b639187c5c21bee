import { Problem } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import { emailKey } from "../../../../lib/text/email.ts";
import type { Egress } from "../../../../platform/egress/egress.ts";
import type { Log } from "../../../../platform/telemetry/log.ts";
import { logFailure } from "../../../access/provider-sign-in/failures.ts";
import { identityOf } from "../../../access/provider-sign-in/identity.ts";
import { PendingSignIns, UsedSignIns } from "../../../access/provider-sign-in/pending.ts";
import { IdentityProvider } from "../../../access/provider-sign-in/provider.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import type { PortalPerson } from "../sessions/portal-sessions.ts";
import { openSecret } from "../settings/client-secret.ts";
import { settingsOf } from "../settings/present.ts";

/** Where the provider sends the browser back to, at the origin of the portal. */
const callbackPath = "/sign-in/provider/callback";

const maxProviders = 1000;

interface PortalProvider {
  issuer: string;
  provider: IdentityProvider;
}

interface ProviderSignInsOptions {
  keyring: Keyring;
  /** Customers of the server choose these providers, so the rules for deployments apply. */
  egress: Egress;
  log: Log;
}

/** Sign-in at a portal with its own identity provider. What was begun is in an encrypted cookie of the browser. */
export class ProviderSignIns {
  readonly #used = new UsedSignIns();
  /** By portal. Each keeps its discovery document and its keys until the portal's settings change. */
  readonly #providers = new Map<string, PortalProvider & { version: number }>();

  constructor(private readonly options: ProviderSignInsOptions) {}

  /** Returns the provider's address and the value of the cookie. Throws `provider_unavailable`. */
  async begin(site: PortalSite, origin: string, to: string | undefined, now: number) {
    const found = this.#providerOf(site);
    try {
      const { url, pending } = await found.provider.begin(`${origin}${callbackPath}`);
      return { url, cookie: this.#pending(site, found).seal(pending, to, now) };
    } catch (error) {
      throw this.#problem(site, error);
    }
  }

  /**
   * Returns who the person is, and the path to open, from the query that the provider sent the browser back with.
   * Throws `sign_in_failed` if anything does not match what was begun in this browser, and `provider_unavailable`.
   */
  async finish(
    site: PortalSite,
    origin: string,
    { query, cookie }: { query: string; cookie: string | undefined },
    now: number,
  ) {
    const found = this.#providerOf(site);
    const pending = this.#pending(site, found).open(cookie, now);
    if (!pending) throw new Problem("sign_in_failed");
    try {
      const claims = await found.provider.finish(new URL(`${origin}${callbackPath}?${query}`), pending, now);
      const { issuer, subject, email, isVerified } = identityOf(claims, { issuer: found.issuer, roles: undefined });
      const mailbox = isVerified && email !== undefined ? emailKey(email) : undefined;
      const person: PortalPerson = { mailbox, identity: { issuer, subject } };
      return { person, to: pending.to };
    } catch (error) {
      throw this.#problem(site, error);
    }
  }

  /** Where to end the session at the provider. Undefined if it has no such address, or does not respond. */
  async signOutUrl(site: PortalSite, returnUrl: string): Promise<string | undefined> {
    return this.#providerIfAny(site)
      ?.provider.signOutUrl(returnUrl)
      .catch(() => undefined);
  }

  #providerOf(site: PortalSite): PortalProvider {
    const found = this.#providerIfAny(site);
    if (!found) throw new Problem("provider_not_configured");
    return found;
  }

  #providerIfAny(site: PortalSite): PortalProvider | undefined {
    const { oidc } = settingsOf(site);
    if (!oidc) return undefined;
    const known = this.#providers.get(site.id);
    if (known?.version === site.version) return known;
    const { keyring, egress } = this.options;
    const provider = new IdentityProvider({ ...oidc, clientSecret: openSecret(keyring, site) }, egress);
    const opened = { issuer: oidc.issuer, provider, version: site.version };
    if (this.#providers.size >= maxProviders) this.#providers.clear();
    this.#providers.set(site.id, opened);
    return opened;
  }

  /** A sign-in that was begun at another portal, or with another provider, cannot be finished. */
  #pending({ id }: PortalSite, { issuer }: PortalProvider): PendingSignIns {
    return new PendingSignIns(this.options.keyring, `portal ${id} ${issuer}`, this.#used);
  }

  #problem({ id }: PortalSite, error: unknown): Problem {
    return new Problem(logFailure(this.options.log, error, { portal: id }));
  }
}
