import { TrafficCounter } from "../areas/analytics/traffic-counter.ts";
import { TrafficWriter } from "../areas/analytics/traffic-writer.ts";
import { VerificationCounter } from "../areas/analytics/verification-counter.ts";
import { VerificationWriter } from "../areas/analytics/verification-writer.ts";
import { BucketDirectory } from "../areas/buckets/directory.ts";
import { ConsumerDirectory } from "../areas/consumers/directory.ts";
import { environmentOf } from "../areas/deployments/deployments.ts";
import { DeploymentLogs } from "../areas/deployments/logs/logs.ts";
import { RedactedLogs } from "../areas/deployments/logs/redacted-logs.ts";
import { SharedCounts } from "../areas/deployments/traffic/shared-counts.ts";
import { SealedTestValues } from "../areas/deployments/traffic/test-value.ts";
import { DeploymentDirectory } from "../areas/deployments/versions/directory.ts";
import { DomainDirectory } from "../areas/domains/directory.ts";
import { KeyVerifier } from "../areas/keys/verification/verifier.ts";
import { deleteExpiredHolds } from "../areas/metering/quotas/published-holds.ts";
import { QuotaLedger } from "../areas/metering/quotas/quota-ledger.ts";
import { RequestRecorder } from "../areas/requests/recorder.ts";
import { Secrets } from "../areas/variables/secrets.ts";
import { GatewayAddresses } from "../core/hosts/addresses.ts";
import { KeySources } from "../core/tokens/key-source.ts";
import { BodyBuffers } from "../gateway/body-buffers.ts";
import { Gateway } from "../gateway/gateway.ts";
import { PolicyFactory } from "../gateway/policies/policies.ts";
import { RateLimitWindows } from "../gateway/policies/rate-limit/windows.ts";
import { WorkerdSandboxes } from "../gateway/sandbox/sandboxes.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import { Egress } from "../platform/egress/egress.ts";
import type { ConnectionShares } from "./descriptors.ts";
import type { Foundation } from "./foundation.ts";
import { OwnHosts } from "./http/own-hosts.ts";

/** How often gateway counts are written. A hard kill loses at most this much, and nodes differ by at most this much. */
const flushSeconds = 0.2;
const holdRemovalSeconds = 10;
/** How often a single node writes rate limits: less often, because there are no other nodes to inform. */
const aloneFlushSeconds = 1;
/** How often analytics are written. */
const trafficFlushSeconds = 1;

/** How often nodes share the counts of canary releases and decide about aborts. */
const canaryFlushSeconds = 1;

/** How often secrets are reloaded, in case a node missed a change. */
const secretsSeconds = 30;

/** How often custom domains are reloaded, in case a node missed a change. */
const domainsSeconds = 30;

/**
 * How often key uses are written. Together with the interval in known-keys.ts, storage is less than a minute behind.
 */
const keyUseSeconds = 10;
/** Not every second: thousands of consumers may be verified, and each is a row in three steps. */
const verificationFlushSeconds = 5;

/** Serves traffic from memory: the gateway and verify-key. */
export interface DataPlane {
  buckets: BucketDirectory;
  verifier: KeyVerifier;
  /** Undefined if verifications are not counted. */
  verifications: VerificationCounter | undefined;
  deploymentLogs: DeploymentLogs;
  requests: RequestRecorder;
  /** Must be loaded before requests are served. */
  windows: RateLimitWindows;
  ledger: QuotaLedger;
  /** Must be loaded before requests are served. */
  domains: DomainDirectory;
  addresses: GatewayAddresses;
  /** The hosts of the management API. */
  ownHosts: OwnHosts;
  gateway: Gateway;
  testValues: SealedTestValues;
  /** Writes all pending counts and records. */
  flush(): Promise<void>;
}

export interface DataPlaneOptions {
  keyring: Keyring;
  /** Additional Host headers of deployments; may change at any time. */
  hostAliases?: ReadonlyMap<string, string> | undefined;
  connections?: ConnectionShares;
}

export function openDataPlane(
  { config, clock, log, metrics, storage, tracer, lifecycle }: Foundation,
  { keyring, hostAliases, connections }: DataPlaneOptions,
): DataPlane {
  const failed = (error: unknown) => log.warn("housekeeping failed and will be retried", { error });

  const windows = new RateLimitWindows(storage);
  lifecycle.onClose("rate limits", async () => {
    await windows.flush(clock.now());
    if (windows.hasUnwritten) log.warn("rate limits of the last moments are lost: storage is unavailable");
  });
  lifecycle.every(storage.isShared ? flushSeconds : aloneFlushSeconds, "rate limits", () => windows.flush(clock.now()));

  const buckets = new BucketDirectory(storage);
  const verifier = new KeyVerifier(storage, buckets, config.cacheMegabytes * 1024 * 1024, windows);
  lifecycle.onClose("key uses", () => verifier.uses.save());
  lifecycle.every(keyUseSeconds, "key uses", () => verifier.uses.save());
  metrics.cache("buckets", () => buckets.cache);
  metrics.cache("keys", () => verifier.cache);

  const consumers = new ConsumerDirectory(storage, buckets);
  metrics.cache("consumers", () => consumers.cache);

  const deploymentLogs = new DeploymentLogs(storage, failed);
  lifecycle.onClose("deployment logs", () => deploymentLogs.stop());

  const secrets = new Secrets({
    storage,
    keyring,
    scopeOf: (deploymentSeq) => environmentOf(storage.reads, deploymentSeq),
    warn: (message, error) => log.warn(message, error === undefined ? {} : { error }),
  });
  lifecycle.every(secretsSeconds, "secrets", () => secrets.refresh());

  const redactorOf = (deploymentSeq: number) => secrets.redactor(deploymentSeq);
  const requests = new RequestRecorder(storage, { isOn: config.insight, days: config.requestDays, redactorOf, failed });
  lifecycle.onClose("requests", () => requests.stop());

  const ledger = new QuotaLedger(storage, clock);
  lifecycle.onClose("quota ledger", async () => {
    await ledger.flush();
    if (ledger.unwritten > 0) log.warn("usage of the last moments is lost: storage is unavailable");
  });
  lifecycle.every(flushSeconds, "quota ledger", () => ledger.flush());
  lifecycle.every(60, "quota ledger", async () => ledger.evictIdle());
  if (storage.isShared)
    lifecycle.every(holdRemovalSeconds, "quota ledger", () => deleteExpiredHolds(storage, clock.now()));

  const traffic = config.insight ? new TrafficCounter() : undefined;
  const writer = traffic && new TrafficWriter(storage, clock, traffic);
  if (writer) {
    lifecycle.onClose("traffic counts", async () => {
      await writer.flush();
      if (writer.hasUnwritten) log.warn("the last counts of requests are lost: storage does not accept them");
    });
    lifecycle.every(trafficFlushSeconds, "traffic counts", () => writer.flushPaced());
  }

  const verifications = config.insight ? new VerificationCounter() : undefined;
  const verificationWriter = verifications && new VerificationWriter(storage, clock, verifications);
  if (verificationWriter) {
    lifecycle.onClose("verification counts", async () => {
      await verificationWriter.flush();
      if (verificationWriter.hasUnwritten)
        log.warn("the last counts of verifications are lost: storage does not accept them");
    });
    lifecycle.every(verificationFlushSeconds, "verification counts", () => verificationWriter.flushPaced());
  }

  const egress = new Egress(config.egress);
  const sandboxes = new WorkerdSandboxes({
    egress,
    warn: failed,
    ...(connections && { connections: connections.sandboxes }),
  });
  lifecycle.onClose("sandboxes", () => sandboxes.stop());

  const ownHosts = new OwnHosts(config.publicUrl, config.allowedHosts);
  const domains = new DomainDirectory(storage, (host) => ownHosts.isCertain(host));
  lifecycle.every(domainsSeconds, "custom domains", () => domains.load());

  const addresses = new GatewayAddresses(
    config.gatewayUrl ?? (config.tls ? "https://{name}.localhost" : "http://{name}.localhost"),
    config.publicUrl,
    hostAliases,
  );
  const directory = new DeploymentDirectory(storage);
  const buffers = new BodyBuffers();
  const canaries = new SharedCounts(storage, clock, log);
  lifecycle.onClose("canary counts", () => canaries.flush());
  lifecycle.every(canaryFlushSeconds, "canary counts", () => canaries.flush());
  const testValues = new SealedTestValues(keyring);
  const gateway = new Gateway({
    live: directory,
    logs: new RedactedLogs(deploymentLogs, redactorOf),
    requests,
    clientAddresses: config.clientAddresses,
    sandboxes,
    secrets,
    egress,
    policies: new PolicyFactory({ verifier, ledger, windows, consumers, sources: new KeySources(egress), buffers }),
    buffers,
    addresses,
    domains,
    clock,
    log,
    metrics,
    tracer,
    ...(connections && { upstreamLimits: connections.upstreams }),
    traffic,
    canaries,
    testValues,
  });
  lifecycle.onClose("gateway", () => gateway.stop());
  directory.follow(
    (name, live) => gateway.deploymentChanged(name, live),
    () => gateway.deploymentsChanged(),
  );

  const flush = async () => {
    await Promise.all([windows.flush(clock.now()), ledger.flush(), verifier.uses.save()]);
    await Promise.all([requests.flush(), deploymentLogs.flush(), writer?.flush(), verificationWriter?.flush()]);
    await canaries.flush();
  };
  return {
    buckets,
    verifier,
    verifications,
    deploymentLogs,
    requests,
    windows,
    ledger,
    domains,
    addresses,
    ownHosts,
    gateway,
    testValues,
    flush,
  };
}
