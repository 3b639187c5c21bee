import { onStopSignals } from "../process/stop-signals.ts";

/**
 * The signals that stop a server. After SIGTERM, which service managers send, it drains first. After SIGINT, of a person
 * at a terminal, it does not.
 */
export class StopRequest {
  /** Resolves at the first signal. */
  readonly received: Promise<void>;
  #drains = false;
  #endDrain: (() => void) | undefined;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.received = promise;
    const stop = (signal: NodeJS.Signals | undefined) => {
      this.#drains ||= signal === "SIGTERM";
      resolve();
    };
    // A further signal means that the sender does not want to wait: for load balancers first, and then not at all.
    onStopSignals(["SIGTERM", "SIGINT"], stop, () => (this.#endDrain ? this.#endDrain() : process.exit(1)));
  }

  /**
   * Calls `begin` and resolves after that time. Resolves at once, without a call, if the server is to stop immediately.
   * A second signal ends the wait.
   */
  async drain(seconds: number, begin: () => void): Promise<void> {
    if (!this.#drains || seconds === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, seconds * 1000);
    this.#endDrain = resolve;
    begin();
    await promise;
    clearTimeout(timer);
    this.#endDrain = undefined;
  }
}
