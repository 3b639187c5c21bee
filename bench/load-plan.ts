import type { Sample } from "./sample.ts";

/** A server under load, and the process whose CPU time, with its children, is measured. */
export interface LoadedServer {
  readonly port: number;
  readonly processId: number;
  /** The database, whose CPU time counts too. */
  readonly databaseProcessId?: number | undefined;
}

/** The plan of a load process, and its results. Both are sent as JSON. */
export interface LoadPlan {
  readonly connections: number;
  /** The time between two new connections. Workers that share a socket do not share connections that arrive together. */
  readonly connectMilliseconds?: number;
  readonly warmSeconds: number;
  readonly seconds: number;
  readonly method: string;
  /** `{slot}` in the path or in the body is replaced by one record of `slots` in every request. */
  readonly path: string;
  /** The Host header, which names a deployment; the address itself where there is none. */
  readonly host?: string;
  readonly body?: string | undefined;
  /** The status that every response must have; any 2xx if absent. */
  readonly status?: number | undefined;
  /** A status that some of the responses have in addition. */
  readonly rejectedStatus?: number;
  readonly token?: string;
  /** More headers than those that follow from the rest. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly slots?: SlotSource;
}

/** A file of records of one width each, so that a request is its template with `width` bytes replaced. */
export interface SlotSource {
  readonly file: string;
  readonly width: number;
  readonly order: "rotate" | "random" | "once";
  /** Records from here on are used; with "once" the load ends when they are used up. */
  readonly first?: number;
  /** Whether each record is a whole request. */
  readonly isWhole?: boolean;
}

export interface LoadResult extends Sample {
  readonly requests: number;
  /** Responses with another status than the plan's. */
  readonly unexpected: number;
  /** The share of one core that the load process used: near 1, it measured itself and not the server. */
  readonly loadCpu: number;
  /** The number of used records of `slots`, including the warm-up. */
  readonly slotsUsed: number;
}
