import type { Clock } from "../../../lib/time/clock.ts";

const defaultSeconds = 5;
const maxSeconds = 300;
/** More entries belong to targets of versions that were replaced. */
const maxEntries = 10_000;

/** Targets that rejected a request because of their rate limit, and get none for a while. */
export class Cooldowns {
  readonly #until = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Begins after a 429 with this `Retry-After`. */
  begin(key: string, retryAfter: string | null): void {
    const now = this.clock.now();
    if (this.#until.size >= maxEntries)
      for (const [each, until] of this.#until) if (until <= now) this.#until.delete(each);
    const seconds = Math.min(maxSeconds, retryAfterSeconds(retryAfter, now) ?? defaultSeconds);
    this.#until.set(key, Math.max(this.#until.get(key) ?? 0, now + seconds * 1000));
  }

  /** How long the target gets no requests; 0 if it gets them. */
  remainingSeconds(key: string): number {
    if (this.#until.size === 0) return 0;
    const until = this.#until.get(key);
    if (until === undefined) return 0;
    const now = this.clock.now();
    if (until <= now) this.#until.delete(key);
    return Math.max(0, (until - now) / 1000);
  }
}

/** The seconds of `Retry-After`, a number or a date. Undefined if it is absent or invalid. */
export function retryAfterSeconds(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  const date = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
