import type { Clock } from "../../../lib/time/clock.ts";

const defaultSeconds = 5;
const maxSeconds = 300;
const probeMs = 1000;
/** More entries belong to targets of versions that were replaced, or to customers that have left. */
const maxEntries = 10_000;

/** The cooldowns of one target. */
interface Cooling {
  /** Until when each customer waits, in the order in which they were rejected. */
  customers: Map<string, number>;
  /** Until when all customers wait. */
  until: number;
  /** When the next request may test whether the target serves again. */
  nextProbe: number;
}

/**
 * Targets that rejected a request because of their rate limit. First only the customer waits whose request was rejected:
 * it may have been too large, or too many, for the target's limits, which must not stop the model for others.
 */
export class Cooldowns {
  readonly #targets = new Map<string, Cooling>();

  constructor(private readonly clock: Clock) {}

  /**
   * Call it after a 429 with this `Retry-After`. All customers wait if another one already does, or if the target says
   * that its account is exhausted.
   */
  begin(key: string, customer: string, retryAfter: string | null, isExhausted: boolean): void {
    const now = this.clock.now();
    const target = this.#targets.get(key) ?? { customers: new Map<string, number>(), until: 0, nextProbe: 0 };
    removeExpired(this.#targets, ({ until, customers }) => until <= now && customers.size === 0);
    this.#targets.set(key, target);
    removeExpired(target.customers, (until) => until <= now);
    const until = now + Math.min(maxSeconds, retryAfterSeconds(retryAfter, now) ?? defaultSeconds) * 1000;
    target.customers.set(customer, Math.max(target.customers.get(customer) ?? 0, until));
    if (!isExhausted && ![...target.customers].some(([other, end]) => other !== customer && end > now)) return;
    if (target.until <= now) target.nextProbe = now + probeMs;
    target.until = Math.max(target.until, until);
  }

  /** How long a customer's requests are not sent to the target; 0 if they are. */
  remainingSeconds(key: string, customer: string): number {
    const target = this.#targets.get(key);
    if (!target) return 0;
    const now = this.clock.now();
    const own = target.customers.get(customer) ?? 0;
    if (own <= now && now >= target.nextProbe) return 0;
    return Math.max(0, own - now, target.until - now) / 1000;
  }

  /** Call it before a request is sent. While all wait, one request a second is sent as a probe. */
  enter(key: string): "open" | "probe" | "closed" {
    const target = this.#targets.get(key);
    const now = this.clock.now();
    if (!target || target.until <= now) return "open";
    if (now < target.nextProbe) return "closed";
    target.nextProbe = now + probeMs;
    return "probe";
  }

  /** Call it after a probe has succeeded. Customers that were rejected still wait. */
  end(key: string): void {
    const target = this.#targets.get(key);
    if (target) target.until = 0;
  }
}

/** Makes room in a map that is full, if necessary by removing the oldest entries. */
function removeExpired<T>(map: Map<string, T>, isExpired: (value: T) => boolean): void {
  if (map.size < maxEntries) return;
  for (const [key, value] of map) if (isExpired(value)) map.delete(key);
  for (const key of map.keys()) if (map.size >= maxEntries) map.delete(key);
}

/** The seconds of `Retry-After`, a number or a date. Undefined if it is absent or invalid. */
export function retryAfterSeconds(value: string | null, now: number): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text);
  const date = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
