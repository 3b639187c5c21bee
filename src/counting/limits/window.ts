import type { Timers } from "../../lib/time/timers.ts";
import type { LeasedUnits } from "../leases/leased-units.ts";
import { OpenLeases } from "../leases/open-leases.ts";
import type { UsedRow } from "./rate-limit-store.ts";

/** The count of a subject in a window. */
interface Count {
  /** The count last read from storage. */
  stored: number;
  /** Accepted here, or leased to a worker, and not included in `stored`. */
  here: number;
  /** The part of `here` that is not written yet. */
  unwritten: number;
}

/** The maximum number of subjects in a window; above it, the oldest is evicted and starts again at 0. */
const maxSubjects = 200_000;
/** The maximum number of subjects in all windows together: each takes about 200 bytes. */
export const maxSubjectsInTotal = 1_000_000;

/** The number of subjects in all windows. */
export interface SubjectCount {
  subjects: number;
}

export type WindowKind = "fixed" | "sliding";

/** The properties that all windows of a limit share. `scope` is the name of the limit in storage. */
export interface WindowLimit {
  scope: string;
  milliseconds: number;
  kind: WindowKind;
}

/** A time window with a request limit for each subject. */
export class Window {
  readonly scope: string;
  readonly end: number;
  /** When its counts are no longer needed. Those of a sliding limit count in the next window too. */
  readonly keptUntil: number;
  /** The window before it, of a sliding limit. */
  previous: Window | undefined;
  readonly #counts = new Map<string, Count>();
  /** Subjects with unwritten counts. */
  readonly #unwritten = new Set<string>();
  /** The leases of subjects that workers count. */
  #leases: Map<string, OpenLeases> | undefined;

  constructor(
    private readonly limit: WindowLimit,
    readonly start: number,
    private readonly isWritten: boolean,
    private readonly tally: SubjectCount,
    private readonly timers?: Timers,
  ) {
    const { scope, milliseconds, kind } = limit;
    this.scope = scope;
    this.end = start + milliseconds;
    this.keptUntil = kind === "sliding" ? this.end + milliseconds : this.end;
  }

  /** Returns the part of the limit that this window allows: for a sliding limit, what the previous window leaves. */
  allowance(subject: string, requests: number, now: number): number {
    const before = this.previous === undefined ? 0 : this.previous.used(subject);
    return before === 0 ? requests : requests - Math.ceil((before * (this.end - now)) / this.limit.milliseconds);
  }

  /** Returns the remaining allowance after this request, or -1 if it is used up. */
  take(subject: string, allowance: number): number {
    const count = this.#counts.get(subject) ?? this.#add(subject, 0);
    const left = allowance - count.stored - count.here;
    if (left <= 0) return -1;
    count.here += 1;
    if (this.isWritten) this.#write(subject, count, 1);
    return left - 1;
  }

  /** Returns the requests that a worker may count by itself. `allowance` is called for each grant. */
  lease(subject: string, allowance: () => number): LeasedUnits {
    const count = this.#counts.get(subject) ?? this.#add(subject, 0);
    this.#leases ??= new Map();
    const leases = this.#leases.get(subject) ?? new OpenLeases(this.timers);
    this.#leases.set(subject, leases);
    return {
      leases,
      available: () => allowance() - count.stored - count.here,
      hold: (units) => {
        count.here += units;
      },
      settle: (units) => {
        if (this.isWritten && units > 0) this.#write(subject, count, units);
      },
      release: (units) => {
        count.here -= units;
      },
    };
  }

  /** Adds requests that a worker accepted for a former primary. */
  count(subject: string, requests: number): void {
    const count = this.#counts.get(subject) ?? this.#add(subject, 0);
    count.here += requests;
    if (this.isWritten) this.#write(subject, count, requests);
  }

  /** Makes workers return the requests that they may count by themselves; see OpenLeases. */
  recall(subject: string): Promise<unknown> | undefined {
    const here = this.#leases?.get(subject)?.recall();
    const before = this.previous?.recall(subject);
    return here && before ? Promise.all([here, before]) : (here ?? before);
  }

  /** Returns when a subject that has used up its allowance can make its next request. */
  nextOn(subject: string, requests: number): number {
    const { previous, end } = this;
    if (!previous) return end;
    const { milliseconds } = this.limit;
    const used = this.used(subject);
    // The previous window leaves more room as time passes. If this one alone uses up the limit, it does so in the next window.
    if (used < requests) return end - Math.floor((milliseconds * (requests - used - 1)) / previous.used(subject));
    return end + milliseconds - Math.floor((milliseconds * (requests - 1)) / used);
  }

  used(subject: string): number {
    const count = this.#counts.get(subject);
    return count === undefined ? 0 : count.stored + count.here;
  }

  /** Sets the stored count of a subject. */
  restore(subject: string, used: number): void {
    const count = this.#counts.get(subject);
    if (count) count.stored = Math.max(count.stored, used);
    else this.#add(subject, used);
  }

  /** Returns the counts to write, by subject. */
  takeUnwritten(): UsedRow[] {
    const rows: UsedRow[] = [];
    const isSliding = this.limit.kind === "sliding";
    for (const subject of [...this.#unwritten].sort()) {
      const count = this.#counts.get(subject);
      if (!count) continue;
      const { scope, start: windowStart, keptUntil: endsOn } = this;
      rows.push({ scope, subject, windowStart, endsOn, used: count.unwritten, isSliding });
      count.unwritten = 0;
    }
    this.#unwritten.clear();
    return rows;
  }

  /** `before` is the stored count of the previous window of a sliding limit. */
  written({ subject, used }: UsedRow, total: number, before: number): void {
    if (before > 0) this.previous?.restore(subject, before);
    const count = this.#counts.get(subject);
    if (!count) return;
    count.here -= used;
    count.stored = Math.max(count.stored, total);
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Ends a window whose counts are no longer needed. */
  close(): void {
    this.tally.subjects -= this.#counts.size;
    this.#counts.clear();
    this.#unwritten.clear();
    this.#leases = undefined;
    this.previous = undefined;
  }

  #write(subject: string, count: Count, requests: number): void {
    if (count.unwritten === 0) this.#unwritten.add(subject);
    count.unwritten += requests;
  }

  #add(subject: string, stored: number): Count {
    const count = { stored, here: 0, unwritten: 0 };
    this.#makeRoom();
    this.#counts.set(subject, count);
    this.tally.subjects += 1;
    return count;
  }

  /** Each window evicts its own subjects: a flood in one must not empty the others. */
  #makeRoom(): void {
    const { size } = this.#counts;
    if (size < maxSubjects && (size === 0 || this.tally.subjects < maxSubjectsInTotal)) return;
    const first = this.#counts.keys().next().value!;
    this.#counts.delete(first);
    this.#unwritten.delete(first);
    this.#leases?.delete(first);
    this.tally.subjects -= 1;
  }
}
