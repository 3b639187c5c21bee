/**
 * The client of a Tollgate server, for Bun, Node 20.3 or later, and browsers. `npm run build:client` compiles these files to
 * JavaScript in `dist/client`, which `tollgate/client` exports.
 */

export type { CanaryOptions, DeployOptions } from "./deploy/deploy.ts";
export { type ProxyProject, proxyProject } from "./deploy/proxy-project.ts";
export type { Archive, UploadProgress } from "./deploy/upload.ts";
export { explainRequest, observationsOf } from "./explain-request.ts";
export type { AccountAnalytics } from "./resources/analytics.ts";
export type { AuditLog, AuditLogOptions, VerifyAuditOptions } from "./resources/audit-log.ts";
export { BuildError, type BuildOptions, type Step, type StepName } from "./resources/builds.ts";
export type { Deployments, LogKind } from "./resources/deployments.ts";
export type { Events, UsageEvent } from "./resources/events.ts";
export type { Keys } from "./resources/keys.ts";
export type {
  IncludeOptions,
  KeyFilterOptions,
  KeyFormat,
  KeyFormatOptions,
  TimeRange,
} from "./resources/option-types.ts";
export type { FollowOptions, ListRequestsOptions, RequestFilter, Requests } from "./resources/requests.ts";
export type * from "./resources/resources.gen.ts";
export { UsageReporter, type UsageReporterOptions } from "./resources/usage-reporter.ts";
export { searchedText } from "./searched-text.ts";
export { type ExchangeOptions, type Readiness, Tollgate } from "./tollgate.ts";
export type { Fetch } from "./transport/connection.ts";
export { type FieldError, TollgateError } from "./transport/errors.ts";
export { etagOf } from "./transport/etags.ts";
export type { ConnectionOptions } from "./transport/follow.ts";
export type { List, Page, PageOptions } from "./transport/list.ts";
export type { ChangeOptions, CreateOptions, RequestOptions, TagFilter, TagOptions, Tags } from "./transport/options.ts";
export type { Waiting } from "./transport/retry.ts";
export type * from "./transport/schema.gen.ts";
export type { TollgateOptions } from "./transport/tollgate-options.ts";
export type { KeyUsage } from "./verification/verify-key.ts";
