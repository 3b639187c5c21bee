import type { CountedState, CountingLink, CountingToWorker } from "./messages.ts";
import { PrimaryLimits } from "./primary-limits.ts";
import { PrimaryQuotas } from "./primary-quotas.ts";
import { PrimaryRequestsInProgress } from "./primary-requests-in-progress.ts";
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
