import type { DecisionGroup } from "./limits.ts";

/** Requests in progress that this process counts, or another one. */
export interface InProgress {
  /**
   * False if the limit is reached: then nothing is counted. Rejects with StorageUnavailable if the other process does not
   * respond. Null if a decision of the same group before has ended the request.
   * @param observes whether a request beyond the limit continues
   */
  begin(key: string, limit: number, group: DecisionGroup, observes?: boolean): boolean | Promise<boolean | null>;
  /** Like `begin`, before the decisions of the same group are known. Undefined if this process can decide. */
  beginAhead(key: string, limit: number, group: DecisionGroup, observes?: boolean): Promise<boolean | null> | undefined;
  end(key: string): void;
}

/**
 * Requests in progress by policy and subject. Shared by versions, because requests of the old version are still in
 * progress when the next one serves.
 */
export class RequestsInProgress implements InProgress {
  readonly #counts = new Map<string, number>();

  begin(key: string, limit: number): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  beginAhead(): undefined {}

  end(key: string): void {
    const count = this.#counts.get(key)!;
    if (count === 1) this.#counts.delete(key);
    else this.#counts.set(key, count - 1);
  }
}
