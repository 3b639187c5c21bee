import { ConsumerDirectory } from "../areas/api-keys/consumers/directory.ts";
import { KeyBucketDirectory } from "../areas/api-keys/key-buckets/directory.ts";
import { blockUseWrite, periodUseWrite } from "../areas/api-keys/keys/key-uses.ts";
import { KeyVerifier } from "../areas/api-keys/keys/verification/verifier.ts";
import { MeteringBucketDirectory } from "../areas/commerce/metering-buckets/directory.ts";
import { AuthorizationDirectory } from "../areas/customer-portal/oauth/authorization-directory.ts";
import { IssuerDirectory } from "../areas/customer-portal/oauth/issuer-directory.ts";
import { SigningKeyDirectory } from "../areas/customer-portal/oauth/signing-key-directory.ts";
import { TokenVerifier } from "../areas/customer-portal/oauth/token-verifier.ts";
import { PortalDirectory } from "../areas/customer-portal/portal/hosts/directory.ts";
import { canaryAbort } from "../areas/gateways/deployments/canary-releases/canaries.ts";
import { SharedCounts } from "../areas/gateways/deployments/canary-releases/shared-counts.ts";
import { SealedTestValues } from "../areas/gateways/deployments/canary-releases/test-value.ts";
import { environmentOf } from "../areas/gateways/deployments/deployments.ts";
import { DeploymentLogs, logWrite } from "../areas/gateways/deployments/logs/logs.ts";
import { RedactedLogs } from "../areas/gateways/deployments/logs/redacted-logs.ts";
import { DeploymentDirectory } from "../areas/gateways/deployments/versions/directory.ts";
import { DomainDirectory } from "../areas/gateways/domains/directory.ts";
import { Secrets } from "../areas/gateways/variables/secrets.ts";
import { ModelUsageCounter } from "../areas/insight/analytics/model-usage-counter.ts";
import { ModelUsageWriter } from "../areas/insight/analytics/model-usage-writer.ts";
import { TrafficCounter } from "../areas/insight/analytics/traffic-counter.ts";
import { TrafficWriter } from "../areas/insight/analytics/traffic-writer.ts";
import { VerificationCounter } from "../areas/insight/analytics/verification-counter.ts";
import { VerificationWriter } from "../areas/insight/analytics/verification-writer.ts";
import { RequestRecorder, requestWrite } from "../areas/insight/request-log/request-recorder.ts";
import { announceUnpricedModels } from "../areas/operations/webhooks/events/unpriced-models.ts";
import { GatewayAddresses } from "../core/hosts/addresses.ts";
import { Gateway } from "../gateway/gateway.ts";
import { PolicyFactory } from "../gateway/policies/policies.ts";
import { WorkerdSandboxes } from "../gateway/sandbox/sandboxes.ts";
import type { SandboxUser } from "../gateway/sandbox/shared/messages.ts";
import { RemoteSandboxes } from "../gateway/sandbox/shared/remote-sandboxes.ts";
import type { Checkers } from "../gateway/upstreams/health-checks.ts";
import type { UpstreamStates } from "../gateway/upstreams/upstream-states.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import { Egress } from "../platform/egress/egress.ts";
import type { OwnServer } from "../platform/egress/own-server.ts";
import { type FetchJwksDocument, fetchJwksWith, JwksSources } from "../platform/jwt/jwks-source.ts";
import type { NamedWrite } from "../platform/storage/named-write.ts";
import type { Counters } from "./background-services/counters.ts";
import type { ConnectionShares } from "./descriptors.ts";
import { OwnHosts } from "./dispatch/own-hosts.ts";
import type { Foundation } from "./foundation/foundation.ts";
import type { OwnAddress } from "./foundation/own-address.ts";
import { ownServerOf } from "./foundation/own-server.ts";

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
  buckets: KeyBucketDirectory;
  meteringBuckets: MeteringBucketDirectory;
  verifier: KeyVerifier;
  /** What customers have authorized, and the keys of its tokens. */
  authorizations: AuthorizationDirectory;
  signingKeys: SigningKeyDirectory;
  /** Undefined if verifications are not counted. */
  verifications: VerificationCounter | undefined;
  deploymentLogs: DeploymentLogs;
  requests: RequestRecorder;
  /** Must be loaded before requests are served. */
  domains: DomainDirectory;
  addresses: GatewayAddresses;
  /** The hosts of portals. Must be loaded before requests are served. */
  portals: PortalDirectory;
  portalAddresses: GatewayAddresses;
  /** The hosts of the management API. */
  ownHosts: OwnHosts;
  gateway: Gateway;
  testValues: SealedTestValues;
  egress: Egress;
  /** Detects requests of deployments to this server. Undefined without trusted proxies. */
  ownServer: OwnServer | undefined;
  /** The keys of token issuers. */
  jwksSources: JwksSources;
  /** The writes that workers send to the process that owns storage. */
  transferred: NamedWrite<never, unknown>[];
  /** Writes all pending counts and records. */
  flush(): Promise<void>;
}

interface DataPlaneOptions {
  keyring: Keyring;
  counters: Counters;
  /** The origins of portals. */
  address: Pick<OwnAddress, "portalUrlOf">;
  /** Additional Host headers of deployments; may change at any time. */
  hostAliases?: ReadonlyMap<string, string> | undefined;
  connections?: ConnectionShares;
  /** Fetches the keys of token issuers; in this process by default. */
  fetchDocument?: FetchJwksDocument;
  /** The process that runs sandboxes; this one by default. */
  sandboxes?: { path: string; user: SandboxUser };
  /** Shared with other processes of the machine; see GatewayOptions. */
  upstreamStates?: UpstreamStates;
  checkers?: Checkers;
}

export function openDataPlane(
  { config, clock, log, metrics, storage, tracer, lifecycle }: Foundation,
  {
    keyring,
    counters,
    address,
    hostAliases,
    connections,
    fetchDocument,
    sandboxes: remote,
    upstreamStates,
    checkers,
  }: DataPlaneOptions,
): DataPlane {
  const failed = (error: unknown) => log.warn("housekeeping failed and will be retried", { error });

  const buckets = new KeyBucketDirectory(storage);
  const verifier = new KeyVerifier(storage, buckets, config.cacheMegabytes * 1024 * 1024, counters.windows);
  lifecycle.onClose("key uses", () => verifier.uses.save());
  lifecycle.every(keyUseSeconds, "key uses", () => verifier.uses.save());
  metrics.cache("buckets", () => buckets.cache);
  const meteringBuckets = counters.meteringBuckets ?? new MeteringBucketDirectory(storage);
  metrics.cache("metering-buckets", () => meteringBuckets.cache);
  metrics.cache("keys", () => verifier.cache);

  const consumers = new ConsumerDirectory(storage, buckets);
  metrics.cache("consumers", () => consumers.cache);
  const authorizations = new AuthorizationDirectory(storage);
  metrics.cache("authorizations", () => authorizations.cache);
  const signingKeys = new SigningKeyDirectory(storage);
  metrics.cache("oauth-keys", () => signingKeys.cache);

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
  const requests = new RequestRecorder(storage, {
    isOn: config.insight,
    days: config.requestDays,
    share: 1 / Math.max(1, config.workers),
    redactorOf,
    failed,
  });
  lifecycle.onClose("requests", () => requests.stop());

  const insight = config.insight
    ? { traffic: new TrafficCounter(), verifications: new VerificationCounter(), modelUsage: new ModelUsageCounter() }
    : { traffic: undefined, verifications: undefined, modelUsage: undefined };
  const { traffic, verifications, modelUsage } = insight;
  const writers = [
    traffic && { of: "requests", every: trafficFlushSeconds, writer: new TrafficWriter(storage, clock, traffic) },
    verifications && {
      of: "verifications",
      every: verificationFlushSeconds,
      writer: new VerificationWriter(storage, clock, verifications),
    },
    modelUsage && {
      of: "models",
      every: trafficFlushSeconds,
      writer: new ModelUsageWriter(storage, clock, modelUsage, announceUnpricedModels),
    },
  ].filter((each) => each !== undefined);
  for (const { of: counted, every, writer } of writers) {
    lifecycle.onClose(`counts of ${counted}`, async () => {
      await writer.flush();
      if (writer.hasUnwritten) log.warn(`the last counts of ${counted} are lost: storage does not accept them`);
    });
    lifecycle.every(every, `counts of ${counted}`, () => writer.flushPaced());
  }

  const ownHosts = new OwnHosts(config.publicUrl, config.allowedHosts);
  const domains = new DomainDirectory(storage, (host) => ownHosts.isCertain(host));
  lifecycle.every(domainsSeconds, "custom domains", () => domains.load());

  const ownServer = ownServerOf(config, (host) => domains.find(host) !== undefined);
  const egress = new Egress(config.egress, undefined, undefined, ownServer);
  const sandboxes = remote
    ? new RemoteSandboxes({ ...remote, calls: connections?.sandboxes.calls, clock, warn: failed })
    : new WorkerdSandboxes({
        egress,
        warn: failed,
        ...(connections && { connections: connections.sandboxes }),
      });
  lifecycle.onClose("sandboxes", () => sandboxes.stop());

  const addresses = new GatewayAddresses(
    config.gatewayUrl ?? (config.tls ? "https://{name}.localhost" : "http://{name}.localhost"),
    config.publicUrl,
    hostAliases,
  );
  const portalAddresses = new GatewayAddresses(
    config.portalUrl ?? (config.tls ? "https://{name}.portal.localhost" : "http://{name}.portal.localhost"),
    config.publicUrl,
  );
  const portals = new PortalDirectory({
    storage,
    addresses: portalAddresses,
    ownerOf: (host) => domains.find(host)?.accountSeq,
  });
  lifecycle.every(domainsSeconds, "portals", () => portals.load());
  const directory = new DeploymentDirectory(storage);
  const canaries = new SharedCounts(storage, clock, log);
  lifecycle.onClose("canary counts", () => canaries.flush());
  lifecycle.every(canaryFlushSeconds, "canary counts", () => canaries.flush());
  const testValues = new SealedTestValues(keyring);
  const jwksSources = new JwksSources(fetchDocument ?? fetchJwksWith(egress));
  const gateway = new Gateway({
    live: directory,
    logs: new RedactedLogs(deploymentLogs, redactorOf),
    requests,
    clientAddresses: config.clientAddresses,
    sandboxes,
    secrets,
    egress,
    policies: new PolicyFactory({
      verifier,
      ...counters,
      consumers,
      sources: jwksSources,
      oauth: {
        tokens: new TokenVerifier(authorizations, signingKeys, counters.windows),
        issuers: new IssuerDirectory(storage, (portal) => address.portalUrlOf(portal)),
      },
    }),
    addresses,
    domains,
    clock,
    log,
    metrics,
    tracer,
    ...(connections && { upstreamLimits: connections.upstreams }),
    traffic,
    modelUsage,
    canaries,
    testValues,
    upstreamStates,
    checkers,
  });
  lifecycle.onClose("gateway", () => gateway.stop());
  directory.follow(
    (name, live) => gateway.deploymentChanged(name, live),
    () => gateway.deploymentsChanged(),
  );

  const transferred = [
    requestWrite,
    logWrite,
    periodUseWrite,
    blockUseWrite,
    canaryAbort,
    canaries.transferred,
    ...writers.map(({ writer }) => writer.transferred),
  ];
  const flush = async () => {
    await verifier.uses.save();
    await Promise.all([requests.flush(), deploymentLogs.flush(), ...writers.map(({ writer }) => writer.flush())]);
    await canaries.flush();
  };
  return {
    buckets,
    meteringBuckets,
    verifier,
    authorizations,
    signingKeys,
    verifications,
    deploymentLogs,
    requests,
    domains,
    addresses,
    portals,
    portalAddresses,
    ownHosts,
    gateway,
    testValues,
    egress,
    ownServer,
    jwksSources,
    transferred,
    flush,
  };
}
