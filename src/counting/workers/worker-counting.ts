import type { DecisionGroup } from "../limits/limits.ts";
import type { InProgress } from "../limits/requests-in-progress.ts";
import type { CountedState, CountingLink, CountingToWorker } from "./messages.ts";
import { PrimaryLimits } from "./primary-limits.ts";
import { PrimaryQuotas } from "./primary-quotas.ts";
import { WorkerLeaseBook } from "./worker-lease.ts";

/** The counters of a worker: all are the primary's, and some of their units are leased. */
export class WorkerCounting {
  readonly #leases: WorkerLeaseBook;
  readonly limits: PrimaryLimits;
  readonly quotas: PrimaryQuotas;
  readonly inProgress: PrimaryRequestsInProgress;
  #primary: string | undefined;

  /** @param isTrusted whether this worker has applied all changes of quotas, so that leases of them may be used */
  constructor(link: CountingLink, isTrusted: () => boolean) {
    this.#leases = new WorkerLeaseBook(link);
    this.limits = new PrimaryLimits(link, this.#leases);
    this.quotas = new PrimaryQuotas(link, this.#leases, isTrusted);
    this.inProgress = new PrimaryRequestsInProgress(link);
  }

  /** The number of leases. */
  get leaseCount(): number {
    return this.#leases.size;
  }

  /** What the next primary must count. */
  state(): CountedState {
    return {
      holds: this.quotas.takeOver(),
      inProgress: this.inProgress.takeOver(),
      ...(this.#primary !== undefined && { formerPrimary: this.#primary }),
    };
  }

  /** @param ledger the name of the primary's ledger */
  connected(ledger: string): void {
    this.#primary = ledger;
  }

  handle(message: CountingToWorker): void {
    if (message[0] === "granted") this.#leases.granted(message[1], message[2], message[3]);
    else this.#leases.recall(message[1]);
  }

  /** Reports what was used of leases since the last call, and renews leases that are in use. */
  report(now: number): void {
    this.#leases.reportAll(now);
  }

  /** Called when the primary has ended. Its leases are invalid. */
  disconnected(): void {
    this.quotas.disconnected();
    this.#leases.abandonAll();
  }
}

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
