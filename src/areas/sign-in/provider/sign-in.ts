import type { AccountReference, Act } from "../../../core/access.ts";
import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { Reads, Storage } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { joinByProvider, SignInRejected } from "../../people/provider-members.ts";
import type { OpenedSession, Sessions } from "../../sessions/sessions.ts";
import { type IdentityRules, identityOf, isDomainAllowed } from "./identity.ts";
import { type PendingSignIn, type Provider, ProviderUnavailable } from "./provider.ts";

export const pendingMilliseconds = 10 * 60 * 1000;
const purpose = "provider-sign-in";

interface Pending extends PendingSignIn {
  /** The path of the console to open. */
  to: string;
  expiresOn: number;
}

/** The outcome for the sign-in page, which explains it. */
export type ProviderFailure =
  | "provider_unavailable"
  | "sign_in_failed"
  | "domain_not_allowed"
  | SignInRejected["reason"];

export interface ProviderSignInOptions {
  provider: Provider;
  rules: IdentityRules;
  sessions: Sessions;
  storage: Storage;
  keyring: Keyring;
  log: Log;
  findAccount(reads: Reads, name: string): Promise<AccountReference | undefined>;
  redirectUri(): string;
}

/** Sign-in with an identity provider. What was begun is in an encrypted cookie of the browser. */
export class ProviderSignIn {
  constructor(private readonly options: ProviderSignInOptions) {}

  /** Returns the provider's address and the value of the cookie, or why that failed. */
  async begin(to: string | undefined, now: number): Promise<{ url: string; cookie: string } | ProviderFailure> {
    const { provider, keyring, redirectUri } = this.options;
    try {
      const { url, pending } = await provider.begin(redirectUri());
      const kept: Pending = { ...pending, to: ownPath(to), expiresOn: now + pendingMilliseconds };
      return { url, cookie: keyring.seal(JSON.stringify(kept), purpose).toString("base64url") };
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
    const { provider, rules, sessions, storage, findAccount, redirectUri } = this.options;
    try {
      const pending = this.#pending(cookie);
      if (!pending || act.now >= pending.expiresOn) return "sign_in_failed";
      const claims = await provider.finish(new URL(`${redirectUri()}?${query}`), pending, act.now);
      const identity = identityOf(claims, rules);
      if (!isDomainAllowed(identity, rules)) return "domain_not_allowed";
      const opened = await storage.write(async (transaction) => {
        const joined = await joinByProvider(transaction, act, identity, findAccount);
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

  #pending(cookie: string | undefined): Pending | undefined {
    if (cookie === undefined) return undefined;
    try {
      return JSON.parse(this.options.keyring.open(Buffer.from(cookie, "base64url"), purpose)) as Pending;
    } catch {
      // The cookie was changed, or is of an earlier encryption key.
      return undefined;
    }
  }

  #failure(error: unknown): ProviderFailure {
    if (error instanceof SignInRejected) return error.reason;
    const isUnavailable = error instanceof ProviderUnavailable || isNetworkError(error);
    this.options.log.warn(
      isUnavailable ? "the identity provider cannot be reached" : "a sign-in with the identity provider was rejected",
      { error: reasonOf(error) },
    );
    return isUnavailable ? "provider_unavailable" : "sign_in_failed";
  }
}

/** The message of the innermost error. Errors of openid-client have responses as their cause, which may have tokens. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

function isNetworkError(error: unknown): boolean {
  const { code, cause, name } = (error ?? {}) as { code?: unknown; cause?: unknown; name?: unknown };
  const isOwn =
    typeof code === "string" && /^(ECONN|ConnectionRefused|ConnectionClosed|ENOTFOUND|EAI_|OAUTH_TIMEOUT)/.test(code);
  return isOwn || name === "TimeoutError" || (cause !== undefined && isNetworkError(cause));
}

/** Only paths of the console are opened: they begin with one slash. */
function ownPath(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/";
}
