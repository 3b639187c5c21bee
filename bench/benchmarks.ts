import { analytics } from "./benchmarks/analytics.ts";
import { audit } from "./benchmarks/audit.ts";
import { betterAuth } from "./benchmarks/better-auth.ts";
import { bodies } from "./benchmarks/bodies.ts";
import { bulkKeys } from "./benchmarks/bulk-keys.ts";
import { caps } from "./benchmarks/caps.ts";
import { codePolicies } from "./benchmarks/code-policies.ts";
import { consumeQuota } from "./benchmarks/consume-quota.ts";
import { createConsumers } from "./benchmarks/create-consumers.ts";
import { deploy } from "./benchmarks/deploy.ts";
import { eventPartitions } from "./benchmarks/event-partitions.ts";
import { exports } from "./benchmarks/exports.ts";
import { fastify } from "./benchmarks/fastify.ts";
import { finding } from "./benchmarks/finding.ts";
import { gateway } from "./benchmarks/gateway.ts";
import { growth } from "./benchmarks/growth.ts";
import { invoices } from "./benchmarks/invoices.ts";
import { keyFields } from "./benchmarks/key-fields.ts";
import { middleware } from "./benchmarks/middleware.ts";
import { models } from "./benchmarks/models.ts";
import { monthEnd } from "./benchmarks/month-end.ts";
import { oauth } from "./benchmarks/oauth.ts";
import { observe } from "./benchmarks/observe.ts";
import { policyCosts } from "./benchmarks/policies.ts";
import { readUsage } from "./benchmarks/read-usage.ts";
import { sandbox } from "./benchmarks/sandbox.ts";
import { search, searchPostgres } from "./benchmarks/search.ts";
import { simulations } from "./benchmarks/simulations.ts";
import { start } from "./benchmarks/start.ts";
import { tls } from "./benchmarks/tls.ts";
import { usageEvents } from "./benchmarks/usage-events.ts";
import { validate } from "./benchmarks/validate.ts";
import { verifyAndConsume } from "./benchmarks/verify-and-consume.ts";
import { verifyKey } from "./benchmarks/verify-key.ts";
import { workerDelay } from "./benchmarks/worker-delay.ts";
import { workerCosts } from "./benchmarks/workers.ts";
import { world } from "./benchmarks/world.ts";
import { worldMoments } from "./benchmarks/world-moments.ts";
import { worldSets } from "./benchmarks/world-sets.ts";
import type { Row } from "./row.ts";
import type { Workspace } from "./workspace.ts";

/** The sections of the page, in its order, and their headings. */
export const topics = {
  gateway: "Gateway",
  keys: "Keys",
  growth: "Growth",
  metering: "Metering",
  process: "Start, memory and deployments",
} as const;

export type Topic = keyof typeof topics;

export interface Benchmark {
  readonly name: string;
  readonly topic: Topic;
  readonly run: (workspace: Workspace) => Promise<Row[]>;
}

export const benchmarks: readonly Benchmark[] = [
  { name: "start", topic: "process", run: start },
  { name: "deploy", topic: "process", run: deploy },
  { name: "gateway", topic: "gateway", run: gateway },
  { name: "tls", topic: "gateway", run: tls },
  { name: "policies", topic: "gateway", run: policyCosts },
  { name: "code-policies", topic: "gateway", run: codePolicies },
  { name: "caps", topic: "gateway", run: caps },
  { name: "observe", topic: "gateway", run: observe },
  { name: "workers", topic: "process", run: workerCosts },
  { name: "worker-delay", topic: "process", run: workerDelay },
  { name: "validate", topic: "gateway", run: validate },
  { name: "bodies", topic: "gateway", run: bodies },
  { name: "models", topic: "gateway", run: models },
  { name: "fastify", topic: "gateway", run: fastify },
  { name: "sandbox", topic: "gateway", run: sandbox },
  { name: "analytics", topic: "gateway", run: analytics },
  { name: "verify-key", topic: "keys", run: verifyKey },
  { name: "middleware", topic: "keys", run: middleware },
  { name: "key-fields", topic: "keys", run: keyFields },
  { name: "oauth", topic: "gateway", run: oauth },
  { name: "create-consumers", topic: "keys", run: createConsumers },
  { name: "audit", topic: "keys", run: audit },
  { name: "bulk-keys", topic: "keys", run: bulkKeys },
  { name: "better-auth", topic: "keys", run: betterAuth },
  { name: "usage-events", topic: "metering", run: usageEvents },
  { name: "event-partitions", topic: "metering", run: eventPartitions },
  { name: "exports", topic: "metering", run: exports },
  { name: "consume-quota", topic: "metering", run: consumeQuota },
  { name: "verify-and-consume", topic: "metering", run: verifyAndConsume },
  { name: "read-usage", topic: "metering", run: readUsage },
  { name: "world", topic: "metering", run: world },
  { name: "world-moments", topic: "metering", run: worldMoments },
  { name: "world-sets", topic: "metering", run: worldSets },
  { name: "month-end", topic: "metering", run: monthEnd },
  { name: "invoices", topic: "metering", run: invoices },
  { name: "simulations", topic: "metering", run: simulations },
  { name: "finding", topic: "growth", run: finding },
  { name: "search", topic: "growth", run: search },
  { name: "search-postgres", topic: "growth", run: searchPostgres },
  { name: "growth", topic: "growth", run: growth },
];
