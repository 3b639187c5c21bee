import type { MountTable } from "./mount-table.ts";

/** A host that an account has proven to own, and the deployments that serve it. */
export interface CustomDomain {
  host: string;
  accountSeq: number;
  /** Serves all paths, unless there are mounts. */
  deploymentName: string;
  mounts?: MountTable | undefined;
}

/** Every custom domain that is served, in memory. */
export interface CustomDomains {
  /** Returns the domain of a Host header, ignoring case, port and a trailing dot. */
  find(hostHeader: string): CustomDomain | undefined;
  /** All domains, in no particular order. */
  all(): Iterable<CustomDomain>;
}
