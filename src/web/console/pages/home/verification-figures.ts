import type { VerificationAnalytics } from "../../../../client/index.ts";

export type VerificationSeries = VerificationAnalytics["series"][number];

export const rejectedShare = ({ verifications, rejected }: { verifications: number; rejected: number }): number =>
  verifications > 0 ? rejected / verifications : 0;

/** The results of verify-key in words. */
export const resultLabels: Record<string, string> = {
  valid: "Valid",
  malformed: "Malformed",
  not_found: "Unknown key",
  expired: "Expired",
  disabled: "Disabled",
  ip_required: "Address missing",
  ip_not_allowed: "Address not allowed",
  permission_missing: "Permission missing",
  rate_limited: "Rate limited",
};
