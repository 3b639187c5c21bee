import type { DecisionGroup } from "../limits/limits.ts";
import type { InProgress } from "../limits/requests-in-progress.ts";
import type { CountingLink } from "./messages.ts";

/** The requests in progress of all workers, which the primary counts. */
export class PrimaryRequestsInProgress implements InProgress {
  readonly #own = new Map<string, number>();

  constructor(private readonly link: Pick<CountingLink, "ask" | "notifySurely" | "epoch">) {}

  async begin(key: string, limit: number, { decisionGroup }: DecisionGroup, observes = false): Promise<boolean | null> {
    const begun = (hasBegun: unknown) => {
      if (hasBegun) this.#own.set(key, (this.#own.get(key) ?? 0) + 1);
    };
    const endLate = (hasBegun: unknown) => {
      begun(hasBegun);
      if (hasBegun) this.end(key);
    };
    const hasBegun = (await this.link.ask(["begin", key, limit, decisionGroup, observes], endLate)) as boolean | null;
    begun(hasBegun);
    return hasBegun;
  }

  readonly beginAhead = this.begin;

  end(key: string): void {
    const count = this.#own.get(key)! - 1;
    if (count === 0) this.#own.delete(key);
    else this.#own.set(key, count);
    const { link } = this;
    const { epoch } = link;
    // A primary that connects later receives the remaining ones with the state. One that is connecting has received the
    // state with this one.
    link.notifySurely(() => (link.epoch === epoch ? ["end", key] : undefined));
  }

  takeOver(): [key: string, count: number][] {
    return [...this.#own];
  }
}
