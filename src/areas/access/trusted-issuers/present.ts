import type { EnvironmentType } from "../../../core/access.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { IssuerRole } from "./schema.ts";
import type { TrustedIssuerRow } from "./store.ts";

export type ClaimPatterns = Record<string, string | string[]>;

export function presentTrustedIssuer(trustedIssuer: TrustedIssuerRow, defaultAudience: string) {
  const claims = claimsOf(trustedIssuer);
  return {
    id: trustedIssuer.id,
    issuer: trustedIssuer.issuer,
    audience: trustedIssuer.audience ?? defaultAudience,
    subject: trustedIssuer.subject,
    ...(claims && { claims }),
    role: trustedIssuer.role as IssuerRole,
    ...(trustedIssuer.project === null ? {} : { project: trustedIssuer.project }),
    environments: environmentsOf(trustedIssuer),
    ...(trustedIssuer.branch_claim === null ? {} : { branchClaim: trustedIssuer.branch_claim }),
    createdOn: formatDateTime(trustedIssuer.created_on),
    updatedOn: formatDateTime(trustedIssuer.updated_on),
  };
}

export function claimsOf({ claims }: TrustedIssuerRow): ClaimPatterns | undefined {
  return claims === null ? undefined : (JSON.parse(claims) as ClaimPatterns);
}

export function environmentsOf({ environments }: TrustedIssuerRow): EnvironmentType[] {
  return JSON.parse(environments) as EnvironmentType[];
}
