/** A host that an account has proven to own, and the deployment that serves it. */
export interface CustomDomain {
  host: string;
  accountSeq: number;
  deploymentName: string;
}

/** Every custom domain that is served, from memory. */
export interface CustomDomains {
  /** That of a Host header, whose case, port and trailing dot do not matter. */
  find(hostHeader: string): CustomDomain | undefined;
  /** In no order. */
  all(): Iterable<CustomDomain>;
}
