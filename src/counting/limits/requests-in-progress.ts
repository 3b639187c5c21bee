import type { DecisionGroup } from "./limits.ts";

/**
 * Requests in progress by policy and subject. Shared by versions, because requests of the old version are still in
 * progress when the next one serves.
 */
export class RequestsInProgress {
  readonly #counts = new Map<string, number>();

  /** Returns false and counts nothing if the limit is reached. */
  begin(key: string, limit: number): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= limit) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  end(key: string): void {
    const count = this.#counts.get(key)!;
    if (count === 1) this.#counts.delete(key);
    else this.#counts.set(key, count - 1);
  }
}

/** Requests in progress that another process counts. */
export interface RemoteRequestsInProgress {
  /**
   * Rejects with StorageUnavailable if the process does not respond. Null if a decision of the same group before has
   * ended the request.
   * @param observes whether a request beyond the limit continues
   */
  beginRemotely(key: string, limit: number, group: DecisionGroup, observes?: boolean): Promise<boolean | null>;
  end(key: string): void;
}
