import { hostnameOf } from "../../lib/network/hosts.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { messageOf } from "./finding.ts";
import { mountsOf } from "./mounts.ts";
import { proofName, proofValue } from "./proof.ts";
import type { DomainRow } from "./store.ts";

/** The host of a deployment, with an optional port. */
export type HostOf = (deployment: string) => string;

/** All fields except its certificate, which is stored separately. */
export function presentDomain(row: DomainRow, hostOf: HostOf) {
  const target = hostnameOf(hostOf(row.deployment_name));
  const mounts = mountsOf(row);
  const message = messageOf(row, target);
  return {
    id: row.id,
    host: row.host,
    deploymentName: row.deployment_name,
    ...(mounts === undefined ? {} : { mounts }),
    status: row.status as "pending" | "active" | "failing",
    dns: [
      {
        type: "TXT" as const,
        name: proofName(row.host),
        value: proofValue(row.account_id),
        isSeen: row.is_proof_seen === 1,
      },
      { type: "CNAME" as const, name: row.host, value: target, isSeen: row.is_route_seen === 1 },
    ],
    ...(message === undefined ? {} : { message }),
    ...(row.expires_on === null ? {} : { expiresOn: formatDateTime(row.expires_on) }),
    ...(row.checked_on === null ? {} : { checkedOn: formatDateTime(row.checked_on) }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
