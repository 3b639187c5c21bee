import type { Keyring } from "../../../lib/crypto/keyring.ts";
import type { PendingSignIn } from "./provider.ts";

export const pendingMilliseconds = 10 * 60 * 1000;
const purpose = "provider-sign-in";

interface Pending extends PendingSignIn {
  site: string;
  /** The path to open after the sign-in. */
  to: string;
  expiresOn: number;
}

const maxUsed = 10_000;

/** The sign-ins of this node that were finished: each one only once, so that a cookie does not permit any number of requests to the provider. */
export class UsedSignIns {
  readonly #until = new Map<string, number>();

  /** Returns false if it was used before. */
  use({ state, expiresOn }: { state: string; expiresOn: number }, now: number): boolean {
    if (this.#until.has(state)) return false;
    for (const [used, until] of this.#until) {
      if (until > now && this.#until.size < maxUsed) break;
      this.#until.delete(used);
    }
    this.#until.set(state, expiresOn);
    return true;
  }
}

/**
 * Sign-ins that were begun, each in an encrypted cookie of the browser: only that browser can finish it. A sign-in
 * that was begun at another site, which also names the provider, cannot be finished.
 */
export class PendingSignIns {
  constructor(
    private readonly keyring: Keyring,
    private readonly site: string,
    private readonly used: UsedSignIns,
  ) {}

  /** Returns the value of the cookie. */
  seal(pending: PendingSignIn, to: string | undefined, now: number): string {
    const kept: Pending = { ...pending, site: this.site, to: ownPath(to), expiresOn: now + pendingMilliseconds };
    return this.keyring.seal(JSON.stringify(kept), purpose).toString("base64url");
  }

  /** Can be used once. Returns undefined if there is no cookie, or if it has expired, was changed, or is of an earlier encryption key. */
  open(cookie: string | undefined, now: number): Pending | undefined {
    if (cookie === undefined) return undefined;
    try {
      const pending = JSON.parse(this.keyring.open(Buffer.from(cookie, "base64url"), purpose)) as Pending;
      const isValid = pending.site === this.site && now < pending.expiresOn;
      return isValid && this.used.use(pending, now) ? pending : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Only paths of the site itself are opened: they begin with one slash. */
export function ownPath(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/";
}
