import { hostnameOf } from "../../../lib/network/hosts.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { messageOf } from "./finding.ts";
import { mountsOf } from "./mounts.ts";
import { proofName, proofValue } from "./proof.ts";
import type { DomainRow } from "./store.ts";

/** The host of a deployment, with an optional port. */
export type HostOf = (deployment: string) => string;

/** All fields except its certificate, which is stored separately. */
export function presentDomain(domain: DomainRow, hostOf: HostOf) {
  const target = hostnameOf(hostOf(domain.deployment_name));
  const mounts = mountsOf(domain);
  const message = messageOf(domain, target);
  return {
    id: domain.id,
    host: domain.host,
    deploymentName: domain.deployment_name,
    ...(mounts === undefined ? {} : { mounts }),
    status: domain.status as "pending" | "active" | "failing",
    dns: [
      {
        type: "TXT" as const,
        name: proofName(domain.host),
        value: proofValue(domain.account_id),
        isSeen: domain.is_proof_seen === 1,
      },
      { type: "CNAME" as const, name: domain.host, value: target, isSeen: domain.is_route_seen === 1 },
    ],
    ...(message === undefined ? {} : { message }),
    ...(domain.expires_on === null ? {} : { expiresOn: formatDateTime(domain.expires_on) }),
    ...(domain.checked_on === null ? {} : { checkedOn: formatDateTime(domain.checked_on) }),
    createdOn: formatDateTime(domain.created_on),
    updatedOn: formatDateTime(domain.updated_on),
  };
}
