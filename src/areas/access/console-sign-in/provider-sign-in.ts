import type { AccountReference, Act } from "../../../core/access.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import type { OpenedSession, Sessions } from "../console-sessions/sessions.ts";
import { joinByProvider, SignInRejected } from "../members/provider-members.ts";
import { logFailure } from "../provider-sign-in/failures.ts";
import { type IdentityRules, identityOf, isDomainAllowed } from "../provider-sign-in/identity.ts";
import { PendingSignIns, UsedSignIns } from "../provider-sign-in/pending.ts";
import type { IdentityProvider } from "../provider-sign-in/provider.ts";

/** The outcome for the sign-in page, which explains it. */
type ProviderFailure = "provider_unavailable" | "sign_in_failed" | "domain_not_allowed" | SignInRejected["reason"];

interface ProviderSignInOptions {
  provider: IdentityProvider;
  rules: IdentityRules;
  sessions: Sessions;
  storage: Storage;
  keyring: Keyring;
  log: Log;
  findAccount(reads: Reads, name: string): Promise<AccountReference | undefined>;
  redirectUri(): string;
}

/** Sign-in with an identity provider. What was begun is in an encrypted cookie of the browser. */
export class ConsoleProviderSignIn {
  readonly #pending: PendingSignIns;

  constructor(private readonly options: ProviderSignInOptions) {
    this.#pending = new PendingSignIns(options.keyring, "console", new UsedSignIns());
  }

  /** Returns the provider's address and the value of the cookie, or why that failed. */
  async begin(to: string | undefined, now: number): Promise<{ url: string; cookie: string } | ProviderFailure> {
    const { provider, redirectUri } = this.options;
    try {
      const { url, pending } = await provider.begin(redirectUri());
      return { url, cookie: this.#pending.seal(pending, to, now) };
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** Returns the session and the path of the console to open, or why the sign-in failed. */
  async finish(
    /** The query of the callback, without its question mark. */
    query: string,
    cookie: string | undefined,
    act: Omit<Act, "account">,
    former: string | undefined,
  ): Promise<{ opened: OpenedSession; to: string } | ProviderFailure> {
    const { provider, rules, sessions, storage, findAccount, redirectUri, log } = this.options;
    try {
      const pending = this.#pending.open(cookie, act.now);
      if (!pending) return "sign_in_failed";
      const claims = await provider.finish(new URL(`${redirectUri()}?${query}`), pending, act.now);
      const identity = identityOf(claims, rules);
      if (!isDomainAllowed(identity, rules)) return "domain_not_allowed";
      const opened = await storage.write(async (transaction) => {
        const joined = await joinByProvider(transaction, act, identity, {
          findAccount,
          onAdminKept: (kept) =>
            log.warn("a claim would remove the last admin of an account, who keeps the role", kept),
        });
        return joined && sessions.openForPerson(transaction, act, { person: joined.person, method: "oidc", former });
      });
      if (!opened) return "no_access";
      return { opened, to: pending.to };
    } catch (error) {
      return this.#failure(error);
    }
  }

  signOutUrl(returnUrl: string): Promise<string | undefined> {
    return this.options.provider.signOutUrl(returnUrl).catch(() => undefined);
  }

  #failure(error: unknown): ProviderFailure {
    if (error instanceof SignInRejected) return error.reason;
    return logFailure(this.options.log, error);
  }
}
