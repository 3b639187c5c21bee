/**
 * The client of a Tollgate server, for Bun, Node 20.3 or later, and browsers. Bun runs these files as they are; for the others
 * `npm run build:client` writes them to `dist/client` as JavaScript, which is where `tollgate/client` leads them.
 */
export type { Accounts, Tokens } from "./accounts.ts";
export type { AccountAnalytics, AnalyticsOptions } from "./analytics.ts";
export type { AuditLog, AuditLogOptions, AuditPageOptions, VerifyAuditOptions } from "./audit-log.ts";
export type { BucketKeys, KeyFilterOptions } from "./bucket-keys.ts";
export type { Buckets, DeleteBucketOptions } from "./buckets.ts";
export { BuildError, type BuildOptions, type Step, type StepName } from "./builds.ts";
export type { Fetch } from "./connection.ts";
export type { Consumers, CreateConsumerOptions, IncludeOptions, KeyFormat, ListConsumersOptions } from "./consumers.ts";
export type { DeployOptions } from "./deploy.ts";
export type { Deployments, LogKind, LogOptions, RollBackOptions } from "./deployments.ts";
export type { Domains } from "./domains.ts";
export { type FieldError, TollgateError } from "./errors.ts";
export { etagOf } from "./etags.ts";
export { explainRequest } from "./explain-request.ts";
export type { FollowOptions, RequestFilter } from "./follow-requests.ts";
export type { KeyFormatOptions, Keys } from "./keys.ts";
export type { List, Page, PageOptions } from "./list.ts";
export type { ManagerInvites, Managers } from "./managers.ts";
export type { ListPlansOptions, ListUsageOptions, Metering, Plans, Subscriptions, TimeRange } from "./metering.ts";
export type { ChangeOptions, CreateOptions, RequestOptions, TagFilter, TagOptions, Tags } from "./options.ts";
export type { ConnectionOptions } from "./reopen.ts";
export type { ListRequestsOptions, Requests } from "./requests.ts";
export type { Waiting } from "./retry.ts";
export type * from "./schema.gen.ts";
export type { Sessions } from "./sessions.ts";
export type { Readiness } from "./system.ts";
export { type KeyUsage, Tollgate } from "./tollgate.ts";
export type { TollgateOptions } from "./tollgate-options.ts";
export type { Archive, UploadProgress } from "./upload.ts";
export type { Events, SubscriptionUsage, UsageEvent, UsageSeriesOptions } from "./usage.ts";
export type { Variables } from "./variables.ts";
export type { DeliveryOptions, Webhooks } from "./webhooks.ts";
