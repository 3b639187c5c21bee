import { TrafficCounter } from "../areas/analytics/traffic-counter.ts";
import { TrafficWriter } from "../areas/analytics/traffic-writer.ts";
import { BucketDirectory } from "../areas/buckets/directory.ts";
import { DeploymentDirectory } from "../areas/deployments/directory.ts";
import { DeploymentLogs } from "../areas/deployments/logs.ts";
import { KeyVerifier } from "../areas/keys/verifier.ts";
import { QuotaLedger } from "../areas/metering/quota-ledger.ts";
import { GatewayAddresses } from "../core/hosts/addresses.ts";
import { Gateway } from "../gateway/gateway.ts";
import { PolicyFactory } from "../gateway/policies/policies.ts";
import { RateLimitWindows } from "../gateway/policies/rate-limit/windows.ts";
import { WorkerdSandboxes } from "../gateway/sandbox/sandboxes.ts";
import { Egress } from "../platform/egress/egress.ts";
import type { Foundation } from "./foundation.ts";

/** A hard kill loses at most this much of what gateways counted, and nodes differ by at most this much. */
const flushSeconds = 0.2;
/** The same for analytics. */
const trafficFlushSeconds = 1;

/** Serves traffic from memory: the gateway and verify-key. */
export interface DataPlane {
  buckets: BucketDirectory;
  verifier: KeyVerifier;
  deploymentLogs: DeploymentLogs;
  windows: RateLimitWindows;
  gateway: Gateway;
}

export function openDataPlane(
  { config, clock, log, metrics, storage, lifecycle }: Foundation,
  /** Additional Host headers of deployments; may change at any time. */
  hostAliases?: ReadonlyMap<string, string>,
): DataPlane {
  const failed = (error: unknown) => log.warn("housekeeping failed and will be retried", { error });

  const buckets = new BucketDirectory(storage);
  const verifier = new KeyVerifier(storage, buckets, config.cacheMegabytes * 1024 * 1024);
  metrics.cache("buckets", () => buckets.cache);
  metrics.cache("keys", () => verifier.cache);

  const deploymentLogs = new DeploymentLogs(storage, failed);
  lifecycle.onClose("deployment logs", () => deploymentLogs.stop());

  const windows = new RateLimitWindows(storage);
  lifecycle.onClose("rate limits", () => windows.flush(clock.now()));
  lifecycle.every(flushSeconds, "rate limits", () => windows.flush(clock.now()));

  const ledger = new QuotaLedger(storage, clock);
  lifecycle.onClose("quota ledger", async () => {
    await ledger.flush();
    if (ledger.unwritten > 0) log.warn("usage of the last moments is lost: storage is unavailable");
  });
  lifecycle.every(flushSeconds, "quota ledger", () => ledger.flush());
  lifecycle.every(60, "quota ledger", async () => ledger.forgetIdle());

  const traffic = config.insight ? new TrafficCounter() : undefined;
  if (traffic) {
    const writer = new TrafficWriter(storage, clock, traffic);
    lifecycle.onClose("traffic counts", async () => {
      await writer.flush();
      if (writer.hasUnwritten) log.warn("the last counts of requests are lost: storage does not accept them");
    });
    lifecycle.every(trafficFlushSeconds, "traffic counts", () => writer.flushPaced());
  }

  const egress = new Egress(config.egress);
  const sandboxes = new WorkerdSandboxes({ egress, warn: failed });
  lifecycle.onClose("sandboxes", () => sandboxes.stop());

  const directory = new DeploymentDirectory(storage);
  const gateway = new Gateway({
    live: directory,
    logs: deploymentLogs,
    sandboxes,
    egress,
    policies: new PolicyFactory({ verifier, ledger, windows }),
    addresses: new GatewayAddresses(config.gatewayUrl ?? "http://{name}.localhost", config.publicUrl, hostAliases),
    clock,
    log,
    metrics,
    traffic,
  });
  lifecycle.onClose("gateway", () => gateway.stop());
  directory.follow((name, live) => gateway.deploymentChanged(name, live));

  return { buckets, verifier, deploymentLogs, windows, gateway };
}
