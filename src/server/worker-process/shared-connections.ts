import type { ConnectionsElsewhere } from "../../platform/http1/server/connection-limiter.ts";
import type { ConnectionCounts } from "../primary-process/worker-messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** How often counts are sent: the delay until other workers receive the count of a connection. */
const sendMilliseconds = 50;

/** The connections of the other workers, as the primary sends them. */
export class SharedConnections implements ConnectionsElsewhere {
  total = 0;
  readonly #elsewhere = new Map<string, number>();
  readonly #own = new Map<string, number>();
  #unsent = new Set<string>();
  #timer: Timer | undefined;

  constructor(private readonly link: PrimaryLink) {}

  of(group: string): number {
    return this.#elsewhere.get(group) ?? 0;
  }

  changed(group: string, count: number): void {
    if (count === 0) this.#own.delete(group);
    else this.#own.set(group, count);
    this.#unsent.add(group);
    this.#timer ??= setTimeout(() => this.#send(), sendMilliseconds);
  }

  crowded(group: string): void {
    this.link.notify(["crowded", group]);
  }

  received(counts: ConnectionCounts): void {
    for (const [group, count] of counts) {
      this.total += count - this.of(group);
      if (count === 0) this.#elsewhere.delete(group);
      else this.#elsewhere.set(group, count);
    }
  }

  /** Resets the counts, because the next primary sends those of other workers again. */
  connected(): void {
    this.#elsewhere.clear();
    this.total = 0;
    this.#unsent = new Set(this.#own.keys());
    this.#send();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = Array.from(this.#unsent, (group): [string, number] => [group, this.#own.get(group) ?? 0]);
    this.#unsent.clear();
    if (counts.length > 0) this.link.notify(["connections", counts]);
  }
}
