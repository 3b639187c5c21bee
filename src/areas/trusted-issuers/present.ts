import type { EnvironmentType } from "../../core/access.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { IssuerRole } from "./schema.ts";
import type { TrustedIssuerRow } from "./store.ts";

export type ClaimPatterns = Record<string, string | string[]>;

export function presentTrustedIssuer(row: TrustedIssuerRow, defaultAudience: string) {
  const claims = claimsOf(row);
  return {
    id: row.id,
    issuer: row.issuer,
    audience: row.audience ?? defaultAudience,
    subject: row.subject,
    ...(claims && { claims }),
    role: row.role as IssuerRole,
    ...(row.project === null ? {} : { project: row.project }),
    environments: environmentsOf(row),
    ...(row.branch_claim === null ? {} : { branchClaim: row.branch_claim }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

export function claimsOf({ claims }: TrustedIssuerRow): ClaimPatterns | undefined {
  return claims === null ? undefined : (JSON.parse(claims) as ClaimPatterns);
}

export function environmentsOf({ environments }: TrustedIssuerRow): EnvironmentType[] {
  return JSON.parse(environments) as EnvironmentType[];
}
