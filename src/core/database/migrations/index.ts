import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import { foundation } from "./0001-foundation.ts";
import { metering } from "./0002-metering.ts";
import { deployments } from "./0003-deployments.ts";
import { rateLimits } from "./0004-rate-limits.ts";
import { logSizes } from "./0005-log-sizes.ts";
import { productionBranch } from "./0006-production-branch.ts";
import { meteringHistory } from "./0007-metering-history.ts";
import { lookalikeKeys } from "./0008-lookalike-keys.ts";
import { analytics } from "./0009-analytics.ts";
import { requests } from "./0010-requests.ts";
import { audit } from "./0011-audit.ts";
import { webhooks } from "./0012-webhooks.ts";
import { keyFields } from "./0013-key-fields.ts";
import { variables } from "./0014-variables.ts";
import { sessions } from "./0020-sessions.ts";
import { domains } from "./0021-domains.ts";
import { certificates } from "./0022-certificates.ts";
import { subscriptionCounts } from "./0023-subscription-counts.ts";
import { auditSegments } from "./0024-audit-segments.ts";
import { webhookRemoval } from "./0025-webhook-removal.ts";
import { keyCounts } from "./0026-key-counts.ts";
import { planLabels } from "./0027-plan-labels.ts";
import { keyUses } from "./0028-key-uses.ts";
import { sortedDomains } from "./0029-sorted-domains.ts";
import { packedChanges } from "./0030-packed-changes.ts";
import { auditEnds } from "./0033-audit-ends.ts";
import { omittedByMinute } from "./0038-omitted-by-minute.ts";
import { views } from "./0050-views.ts";
import { canaries } from "./0060-canaries.ts";
import { quotaHolds } from "./0065-quota-holds.ts";
import { mounts } from "./0070-mounts.ts";
import { verifications } from "./0075-verifications.ts";
import { changesByTransaction } from "./0080-changes-by-transaction.ts";
import { portals } from "./0090-portals.ts";
import { people } from "./0095-people.ts";
import { mail } from "./0096-mail.ts";
import { webhookNames } from "./0100-webhook-names.ts";
import { configuration } from "./0101-configuration.ts";
import { versionSources } from "./0102-version-sources.ts";
import { leakedKeys } from "./0103-leaked-keys.ts";
import { deploymentSites } from "./0120-deployment-sites.ts";
import { portalPeople } from "./0125-portal-people.ts";
import { billing } from "./0130-billing.ts";
import { trustedIssuers } from "./0150-trusted-issuers.ts";
import { versionAuthors } from "./0160-version-authors.ts";
import { grants } from "./0180-grants.ts";
import { caps } from "./0181-caps.ts";
import { stripe } from "./0190-stripe.ts";
import { stripeMethods } from "./0191-stripe-methods.ts";
import { portalProvider } from "./0200-portal-provider.ts";
import { purchases } from "./0210-purchases.ts";
import { revenue } from "./0220-revenue.ts";
import { billingMail } from "./0221-billing-mail.ts";
import { stripeCharges } from "./0260-stripe-charges.ts";
import { stripeCustomerLeases } from "./0264-stripe-customer-leases.ts";
import { checkoutCancelUrls } from "./0265-checkout-cancel-urls.ts";
import { refunds } from "./0267-refunds.ts";
import { portalDeletedKeys } from "./0270-portal-deleted-keys.ts";
import { portalInviteMails } from "./0271-portal-invite-mails.ts";
import { portalFormerCustomers } from "./0272-portal-former-customers.ts";
import { cappedCustomers } from "./0274-capped-customers.ts";
import { scheduledPlans } from "./0277-scheduled-plans.ts";
import { waitingDrafts } from "./0278-waiting-drafts.ts";
import { stripeRefunds } from "./0280-stripe-refunds.ts";
import { stripeCreditedBefore } from "./0285-stripe-credited-before.ts";
import { feeReturns } from "./0290-fee-returns.ts";
import { segmentMarks } from "./0300-segment-marks.ts";
import { limitedBuilds } from "./0310-limited-builds.ts";
import { invitedIds } from "./0312-invited-ids.ts";
import { explicitInvitations } from "./0313-explicit-invitations.ts";
import { futureIds } from "./0320-future-ids.ts";
import { counterVersions } from "./0335-counter-versions.ts";
import { meteringHolds } from "./0345-metering-holds.ts";
import { modelUsage } from "./0365-model-usage.ts";
import { oauth } from "./0370-oauth.ts";
import { exportDestinations } from "./0380-exports.ts";
import { lostUsage } from "./0400-lost-usage.ts";
import { modelConsumers } from "./0401-model-consumers.ts";
import { oauthConsents } from "./0410-oauth-consents.ts";
import { signInPaths } from "./0411-sign-in-paths.ts";
import { creditPacks } from "./0440-credit-packs.ts";
import { prepaidRates } from "./0450-prepaid-rates.ts";
import { voidedEvents } from "./0451-voided-events.ts";
import { taxes } from "./0460-taxes.ts";
import { searchWords } from "./0480-search-words.ts";
import { rollover } from "./0500-rollover.ts";
import { customerDues } from "./0530-customer-dues.ts";
import { lateInvoices } from "./0540-late-invoices.ts";
import { eventPartitions } from "./0570-event-partitions.ts";
import { payments } from "./0600-payments.ts";
import { disputes } from "./0610-disputes.ts";
import { usageRankings } from "./0620-usage-rankings.ts";
import { customerCounts } from "./0621-customer-counts.ts";

/** Forward only, in order. A migration that was released is never edited: the next one corrects it. */
export const migrations: Migration[] = [
  foundation,
  metering,
  deployments,
  rateLimits,
  logSizes,
  productionBranch,
  meteringHistory,
  lookalikeKeys,
  analytics,
  requests,
  audit,
  webhooks,
  keyFields,
  variables,
  sessions,
  domains,
  certificates,
  subscriptionCounts,
  auditSegments,
  webhookRemoval,
  keyCounts,
  planLabels,
  keyUses,
  sortedDomains,
  packedChanges,
  auditEnds,
  omittedByMinute,
  views,
  canaries,
  quotaHolds,
  mounts,
  verifications,
  changesByTransaction,
  portals,
  people,
  mail,
  webhookNames,
  configuration,
  versionSources,
  leakedKeys,
  deploymentSites,
  portalPeople,
  billing,
  trustedIssuers,
  versionAuthors,
  grants,
  caps,
  stripe,
  stripeMethods,
  portalProvider,
  purchases,
  revenue,
  billingMail,
  stripeCharges,
  stripeCustomerLeases,
  checkoutCancelUrls,
  refunds,
  portalDeletedKeys,
  portalInviteMails,
  portalFormerCustomers,
  cappedCustomers,
  scheduledPlans,
  waitingDrafts,
  stripeRefunds,
  stripeCreditedBefore,
  feeReturns,
  segmentMarks,
  limitedBuilds,
  invitedIds,
  explicitInvitations,
  futureIds,
  counterVersions,
  meteringHolds,
  modelUsage,
  oauth,
  exportDestinations,
  lostUsage,
  modelConsumers,
  oauthConsents,
  signInPaths,
  creditPacks,
  prepaidRates,
  voidedEvents,
  taxes,
  searchWords,
  rollover,
  customerDues,
  lateInvoices,
  eventPartitions,
  payments,
  disputes,
  usageRankings,
  customerCounts,
];
