import type { Checkers } from "../../gateway/upstreams/health-checks.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** The targets that this worker watches, and those that the primary made it check. */
export class TargetChecks implements Checkers {
  readonly #watched = new Set<string>();
  readonly #mine = new Set<string>();

  constructor(private readonly link: PrimaryLink) {}

  watch(key: string): void {
    this.#watched.add(key);
    this.link.notify(["watch", key]);
  }

  unwatch(key: string): void {
    this.#watched.delete(key);
    this.#mine.delete(key);
    this.link.notify(["unwatch", key]);
  }

  /** Until the next primary assigns a target again, its checker remains. */
  isMine(key: string): boolean {
    return this.#mine.has(key);
  }

  assign(key: string): void {
    if (this.#watched.has(key)) this.#mine.add(key);
  }

  /** The next primary assigns all targets again. */
  connected(): void {
    this.#mine.clear();
    for (const key of this.#watched) this.link.notify(["watch", key]);
  }
}
