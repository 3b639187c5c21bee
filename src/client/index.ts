/**
 * The client of a Tollgate server, for Bun, Node 20.3 or later, and browsers. Bun runs these files directly; for the
 * others `npm run build:client` compiles them to JavaScript in `dist/client`, which `tollgate/client` exports.
 */

export type { CanaryOptions, DeployOptions } from "./deploy/deploy.ts";
export { type ProxyProject, proxyProject } from "./deploy/proxy-project.ts";
export type { Archive, UploadProgress } from "./deploy/upload.ts";
export { explainRequest } from "./explanations/explain-request.ts";
export type { Accounts } from "./resources/accounts.ts";
export type { AccountAnalytics, AnalyticsOptions, VerificationOptions } from "./resources/analytics.ts";
export type { AuditLog, AuditLogOptions, AuditPageOptions, VerifyAuditOptions } from "./resources/audit-log.ts";
export type { Billing } from "./resources/billing.ts";
export type { BucketKeys, KeyFilterOptions } from "./resources/bucket-keys.ts";
export type { Buckets, DeleteBucketOptions } from "./resources/buckets.ts";
export { BuildError, type BuildOptions, type Step, type StepName } from "./resources/builds.ts";
export type { ConfigurationResource } from "./resources/configuration.ts";
export type {
  Consumers,
  CreateConsumerOptions,
  IncludeOptions,
  KeyFormat,
  ListConsumersOptions,
} from "./resources/consumers.ts";
export type { Customers, ListCustomersOptions } from "./resources/customers.ts";
export type { Deployments, LogKind, LogOptions, RollBackOptions } from "./resources/deployments.ts";
export type { FollowOptions, RequestFilter } from "./resources/follow-requests.ts";
export type { Invoices, ListInvoicesOptions, RevenueOptions } from "./resources/invoices.ts";
export type { KeyFormatOptions, Keys } from "./resources/keys.ts";
export type { Members } from "./resources/members.ts";
export type { ListUsageOptions, Metering, TimeRange } from "./resources/metering.ts";
export type { Portal as PortalResource } from "./resources/portal.ts";
export type { ListRequestsOptions, Requests } from "./resources/requests.ts";
export type {
  Domains,
  Grants,
  ListPlansOptions,
  ManagerInvites,
  Managers,
  Plans,
  Subscriptions,
  Tokens,
  TrustedIssuers,
  Variables,
  Views,
} from "./resources/resources.gen.ts";
export type { Sessions } from "./resources/sessions.ts";
export type { Readiness } from "./resources/system.ts";
export type { Traffic as TrafficResource } from "./resources/traffic.ts";
export type { ExchangeOptions } from "./resources/trusted-issuers.ts";
export type { Events, SubscriptionUsage, UsageEvent, UsageSeriesOptions } from "./resources/usage.ts";
export type { DeliveryOptions, Webhooks } from "./resources/webhooks.ts";
export { Tollgate } from "./tollgate.ts";
export type { Fetch } from "./transport/connection.ts";
export { type FieldError, TollgateError } from "./transport/errors.ts";
export { etagOf } from "./transport/etags.ts";
export type { List, Page, PageOptions } from "./transport/list.ts";
export type { ChangeOptions, CreateOptions, RequestOptions, TagFilter, TagOptions, Tags } from "./transport/options.ts";
export type { ConnectionOptions } from "./transport/reopen.ts";
export type { Waiting } from "./transport/retry.ts";
export type * from "./transport/schema.gen.ts";
export type { TollgateOptions } from "./transport/tollgate-options.ts";
export type { KeyUsage } from "./verification/verify-key.ts";
