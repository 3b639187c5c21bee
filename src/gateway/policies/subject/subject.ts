import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import { addressGroup } from "../../../lib/network/address-group.ts";
import type { RequestContext } from "../../exchange/policy.ts";
import type { SubjectKind } from "./schema.ts";

/** Ids of consumers, ids of keys and addresses have different formats, so they cannot collide. */
export function subjectOf(by: SubjectKind, { consumerId, keyId, ip }: RequestContext): string {
  const subject = by === "consumer" ? consumerId : by === "key" ? keyId : undefined;
  return subject ?? addressGroup(ip);
}

/** The subject, for the request record. */
export function subjectDetail(
  by: SubjectKind,
  { consumerId, keyId, user }: RequestContext,
): Pick<DecisionDetail, "by" | "consumer" | "keyId"> {
  const isKnown = by === "consumer" ? consumerId !== undefined : by === "key" && keyId !== undefined;
  return {
    by: isKnown ? by : "ip",
    ...(user && { consumer: user.sub }),
    ...(keyId !== undefined && { keyId }),
  };
}
