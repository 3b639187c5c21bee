import { DomainChecker } from "../../areas/gateways/domains/checker.ts";
import { Wakeable } from "../../lib/tasks/wakeable.ts";
import { DnsLookup } from "../../platform/dns-lookup.ts";
import type { Foundation } from "../foundation/foundation.ts";
import type { OwnAddress } from "../foundation/own-address.ts";

/** The maximum delay of a scheduled check. */
const lookSeconds = 1;

export interface DomainChecks {
  /** Call it after the server listens: it needs the addresses of deployments. */
  start(): void;
}

export function openDomainChecks(
  { config, clock, log, storage, lifecycle }: Foundation,
  address: OwnAddress,
): DomainChecks {
  const dns = new DnsLookup(config.dnsServers);
  const checker = new DomainChecker({ storage, dns, clock, hostOf: (name) => address.hostOf(name) });
  const checks = new Wakeable(
    (signal) => checker.checkDue(signal),
    (error) => log.warn("custom domains could not be checked; will retry", { error }),
  );
  let isStarted = false;
  const wake = () => {
    if (isStarted) checks.wake();
  };
  storage.feed.follow(
    "domain checks",
    { "domain.created": wake, "domain.updated": wake, "domain.check-requested": wake },
    wake,
  );
  return {
    start() {
      isStarted = true;
      lifecycle.onClose("domain checks", () => checks.stop());
      lifecycle.every(lookSeconds, "domain checks", async () => wake());
    },
  };
}
