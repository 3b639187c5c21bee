import type { Reads } from "./storage.ts";

/** Whether a read replica is used, and why not. */
export interface ReplicaStatus {
  isUsed: boolean;
  /** How old the data of the replica is at most. Undefined if it is unknown. */
  lagMilliseconds: number | undefined;
  /** Why it is not used. */
  error: string | undefined;
  /** Reads that failed on the replica and were repeated on the primary. */
  fallbacks: number;
}

/** Reads of what was recorded and may be some seconds old: analytics, the request log, exports. */
export interface History {
  /** Runs the work on the replica if it is current enough, otherwise on the primary. The work may run twice. */
  read<Result>(work: (reads: Reads) => Promise<Result>): Promise<Result>;
  /** Undefined without a replica. */
  status(): ReplicaStatus | undefined;
}

/** History without a replica. */
export function primaryHistory(primary: Reads): History {
  return { read: (work) => work(primary), status: () => undefined };
}
