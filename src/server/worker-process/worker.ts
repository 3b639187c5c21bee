import { randomUUID } from "node:crypto";
import { Credentials } from "../../api/credentials.ts";
import { routeScope } from "../../api/endpoint.ts";
import { Pipeline } from "../../api/pipeline.ts";
import { noPlaces } from "../../api/project-access.ts";
import { Authentication } from "../../areas/access/accounts/authentication.ts";
import { Consumers } from "../../areas/api-keys/consumers/consumers.ts";
import { Keys } from "../../areas/api-keys/keys/keys.ts";
import { verifyRoutes } from "../../areas/api-keys/keys/routes/verify.ts";
import { followChangedCustomers } from "../../areas/commerce/metering/quotas/quota-changes.ts";
import { durableTake } from "../../areas/commerce/metering/takes/durable-take.ts";
import { KeyQuotaTakes } from "../../areas/commerce/metering/takes/key-quota-takes.ts";
import { type StartableVersion, StartFailure } from "../../areas/gateways/deployments/versions/starter.ts";
import { processStatus } from "../../areas/operations/system-status/process-status.ts";
import type { Config } from "../../config/config.ts";
import { readKeyring } from "../../core/database/encryption.ts";
import { Metrics } from "../../core/metrics/metrics.ts";
import type { QuotaHolds } from "../../counting/quotas/hold-quota.ts";
import { WorkerCounting } from "../../counting/workers/worker-counting.ts";
import { SharedUpstreamStates } from "../../gateway/upstreams/shared-upstream-states.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Lifecycle } from "../../lib/tasks/lifecycle.ts";
import { type Clock, SharedClock } from "../../lib/time/clock.ts";
import { machineOffset } from "../../lib/time/machine-time.ts";
import { BufferMemory } from "../../platform/http1/memory/buffer-memory.ts";
import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import { ConnectionLimiter, type ConnectionLimits } from "../../platform/http1/server/connection-limiter.ts";
import type { HandlerResult } from "../../platform/http1/server/request-handler.ts";
import { TrustedProxies } from "../../platform/http1/server/trusted-proxies.ts";
import type { Change } from "../../platform/storage/change.ts";
import { DatabaseHistory } from "../../platform/storage/database-history.ts";
import { openReads } from "../../platform/storage/engines/open.ts";
import { primaryHistory } from "../../platform/storage/history.ts";
import type { OpenCopy } from "../../platform/storage/postgres-options.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { type DataPlane, openDataPlane } from "../data-plane.ts";
import { type ConnectionShares, descriptorLimit, forwardedConnections, shareDescriptors } from "../descriptors.ts";
import { isHttpsOnly } from "../dispatch/dispatch.ts";
import { type Listener, listen } from "../dispatch/listener.ts";
import { processProbes } from "../dispatch/probes.ts";
import { type Foundation, openCopy, openTracer } from "../foundation/foundation.ts";
import { OwnAddress } from "../foundation/own-address.ts";
import type { ListenerSockets } from "../listeners.ts";
import type { DocumentResponse, WorkerState } from "../primary-process/worker-messages.ts";
import { release } from "../release.ts";
import { type LinkOptions, PrimaryLink } from "./primary-link.ts";
import { RequestForwarder } from "./request-forwarder.ts";
import { SharedConnections } from "./shared-connections.ts";
import { TargetChecks } from "./target-checks.ts";
import { UpgradeQueue } from "./upgrade-queue.ts";
import {
  probesOf,
  serveAllFromWorker,
  serveDeploymentsFromWorker,
  serveManagementFromWorker,
  type WorkerDispatchOptions,
} from "./worker-dispatch.ts";
import { PrimaryFeed, WorkerStorage } from "./worker-storage.ts";

/** How often the uses of tokens are sent. */
const tokenUseSeconds = 30;
/** How often the requests and retries of upstreams are sent to the other workers. */
const budgetSeconds = 0.2;
/** How often the use of leases is reported. A killed worker loses at most this much. */
const leaseSeconds = 0.1;

/** How long an upgrade waits for requests whose response has not begun. Reads of storage by later ones fail. */
const decisionMilliseconds = 10_000;
const holdPollMilliseconds = 5;
/** How long idle connections remain open when the worker is replaced by one of another release. */
const idleConnectionMilliseconds = 10_000;
/** How long responses may stream then. */
const lastResponseMilliseconds = 300_000;

interface WorkerOptions {
  clock?: Clock;
  /** The release in the handshake with the primary; by default this program's. */
  release?: string;
  log: Log;
  /** The public sockets. */
  sockets: ListenerSockets;
  primary: PrimaryPaths;
  hostAliases?: ReadonlyMap<string, string>;
  /** Called when this worker must end, because it cannot work with the primary. */
  onStop(reason: string): void;
}

/** The paths of the primary's sockets. */
export interface PrimaryPaths {
  channel: string;
  /** The socket of the process for sandboxes. */
  sandboxes: string;
  listeners: { [Name in keyof ListenerSockets]: string };
}

export interface Worker {
  /**
   * Prepares for a primary of another release: finishes what this worker has begun to decide, and does not read storage
   * any more. New requests wait.
   */
  hold(): Promise<void>;
  /** Forwards all requests to the primary, with those that wait. */
  forward(): void;
  /** From now on `/readyz` returns 503, and connections close with their next response. Requests are still served. */
  drain(): void;
  /** Finishes requests in progress, sends pending writes and closes everything. */
  stop(): Promise<void>;
}

/** Starts a process that serves traffic: deployments and verify-key. The rest goes to the primary. */
export async function startWorker(config: Config, options: WorkerOptions): Promise<Worker> {
  const { clock = new SharedClock(), log } = options;
  const lifecycle = new Lifecycle((what, error) => log.warn(`${what} failed and will be retried`, { error }));
  try {
    const opened = await openWorker(config, options, clock, lifecycle);
    return { ...opened, stop: () => lifecycle.close() };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function openWorker(
  config: Config,
  { log, sockets, primary, hostAliases, release: ownRelease = release, onStop }: WorkerOptions,
  clock: Clock,
  lifecycle: Lifecycle,
): Promise<Omit<Worker, "stop">> {
  const metrics = new Metrics();
  const tracer = config.traces && openTracer(config.traces, log, lifecycle);
  const warn = (message: string, error: unknown) => log.warn(message, error === undefined ? {} : { error });
  const feed = new PrimaryFeed(warn, config.staleSeconds);
  const databaseHistory = new DatabaseHistory();
  let dataPlane: DataPlane | undefined;
  let authentication: Authentication | undefined;
  const writer = randomUUID();
  const upgradeQueue = new UpgradeQueue(clock);

  const state = (): WorkerState => ({
    release: ownRelease,
    isLeaving: !upgradeQueue.isOpen,
    writer,
    ...counting.state(),
  });
  const handle: LinkOptions["handle"] = (message, reply) => {
    switch (message[0]) {
      case "beat":
        if (message[3]) databaseHistory.beat(message[3]);
        if (clock instanceof SharedClock) clock.offset = message[4];
        return feed.heartbeat(message[1], message[2]);
      case "changes":
        feed.received(message[2] as Change[]);
        return reply(["applied", message[1]]);
      case "gap":
        // Before caches are filled again.
        if (message[2]) databaseHistory.follow(message[2]);
        feed.publishGap();
        return reply(["applied", message[1]]);
      case "prepare":
        return prepare(dataPlane, message[1] as StartableVersion);
      case "upstreams":
        return upstreamStates.received(message[1]);
      case "check":
        checks.assign(message[1]);
        return dataPlane?.gateway.check(message[1]);
      case "status":
        return dataPlane?.gateway.upstreams(message[1], message[2]) ?? null;
      case "connections":
        return shared.received(message[1]);
      case "crowded":
        return limiter.makeRoom(message[1]);
      case "granted":
      case "recall":
        return counting.handle(message);
      case "flush":
        return flush().then(() => null);
      case "tasks":
        return lifecycle.runAll();
      case "metrics":
        return metrics.text({ withNames: message[1] });
      case "process":
        return processStatus(metrics);
      case "stop":
        return onStop(message[1]);
    }
  };
  const link: PrimaryLink = new PrimaryLink({
    path: primary.channel,
    state,
    handle,
    // Changes may have been missed.
    onConnected: (ledger) => {
      counting.connected(ledger);
      if (!upgradeQueue.isOpen) return;
      feed.publishGap();
      shared.connected();
      checks.connected();
    },
    onDisconnected: () => {
      feed.disconnected();
      counting.disconnected();
    },
  });
  const flush = async () => {
    counting.report(clock.now());
    await Promise.all([dataPlane?.flush(), authentication?.saveLastUse()]);
  };
  const counting = new WorkerCounting(link, () => ["fresh", "away", "copied"].includes(feed.trust()));
  followChangedCustomers(feed, (concerns) => counting.quotas.giveUp(concerns));
  const connections = shareDescriptors(descriptorLimit(), config);
  const shared = new SharedConnections(link);
  const checks = new TargetChecks(link);
  const upstreamStates = new SharedUpstreamStates({ offset: machineOffset() }, (changes) =>
    link.notify(["upstreams", changes]),
  );
  lifecycle.every(budgetSeconds, "retry budgets", async () => upstreamStates.sendBudgets());
  const limiter = new ConnectionLimiter(machineLimits(config, connections), shared);
  const memory = BufferMemory.ofProcess(config.workers);
  metrics.connections(
    () => limiter,
    () => memory.used,
  );
  lifecycle.onClose("primary", () => link.stop());
  lifecycle.onClose("leases", () => counting.report(clock.now()));
  lifecycle.every(leaseSeconds, "leases", async () => counting.report(clock.now()));
  await link.open();

  const { dataDirectory, databaseUrl, databaseFeedUrl, databasePatience } = config;
  const observer = tracer ? tracer.observing(metrics.storage) : metrics.storage;
  let copy: OpenCopy | undefined;
  const reads = await openReads({
    ...{ dataDirectory, databaseUrl, databaseFeedUrl, databasePatience, observer, warn },
    history: databaseHistory,
    copy() {
      copy = feed.trust() === "copied" ? (copy ?? openCopy(config)) : undefined;
      return copy?.reads;
    },
  });
  const storage = new WorkerStorage(reads, feed, link);
  lifecycle.onClose("storage", () => storage.close());
  const foundation: Foundation = {
    ...{ config, clock, log, metrics, storage, tracer, lifecycle },
    history: primaryHistory(storage.reads),
    available: { work: async () => {} },
  };
  const keyring = readKeyring({ configured: config.encryptionKeys, dataDirectory });
  const { limits: windows, quotas, inProgress } = counting;
  const counters = { windows, quotas, inProgress };
  const fetchDocument = async (accountSeq: number, url: string) => {
    const response = (await link.ask(["document", accountSeq, url])) as DocumentResponse;
    if ("failure" in response) throw new Error(response.failure);
    return response.document;
  };
  const address = new OwnAddress(config);
  address.listensOn(sockets.main.port, sockets.gateway?.port);
  dataPlane = openDataPlane(foundation, {
    keyring,
    counters,
    address,
    hostAliases,
    connections,
    fetchDocument,
    sandboxes: { path: primary.sandboxes, user: { release, isPrimary: false } },
    upstreamStates,
    checkers: checks,
  });
  await Promise.all([dataPlane.domains.load(), dataPlane.portals.load()]);
  authentication = new Authentication(storage, config.operatorToken);
  const { credentials } = authentication;
  metrics.cache("tokens", () => credentials);
  const saveTokenUse = () => authentication!.saveLastUse();
  lifecycle.onClose("token uses", saveTokenUse);
  lifecycle.every(tokenUseSeconds, "token uses", saveTokenUse);

  const tls =
    config.tls &&
    (await (await import("../background-services/tls.ts")).openWorkerTls(foundation, config.tls, keyring));
  const pipeline = verifyPipeline(foundation, dataPlane, quotas, authentication, keyring);
  const dispatch: WorkerDispatchOptions = {
    clock,
    gateway: dataPlane.gateway,
    portals: dataPlane.portals,
    hosts: dataPlane.ownHosts,
    isHttps: isHttpsOnly(config),
    authentication,
    verify: (request) => pipeline.handle(request),
    probes: processProbes({ storage, version: ownRelease, phase: () => lifecycle.phase }),
  };
  const probe = probesOf(dispatch);
  const forwarder = new RequestForwarder(clock, forwardedConnections(descriptorLimit(), config.workers));
  lifecycle.onClose("forwarded requests", () => forwarder.close());
  const isForSite = ({ headers }: HttpRequest) => {
    const host = headers.get("host");
    return host !== null && (dispatch.gateway.isHost(host) || dispatch.portals.isHost(host));
  };
  const listeners: Listener[] = [];
  for (const name of ["plain", "main", "gateway"] as const) {
    const socket = sockets[name];
    const path = primary.listeners[name];
    if (!socket || !path) continue;
    dataPlane.ownServer?.listensOn(socket.port);
    const forward = (request: HttpRequest): HandlerResult => forwarder.forward(path, request);
    const serveMain = sockets.gateway ? serveManagementFromWorker : serveAllFromWorker;
    const serve =
      name === "plain"
        ? (request: HttpRequest) => probe(request) ?? forward(request)
        : (name === "main" ? serveMain : serveDeploymentsFromWorker)(dispatch, forward);
    const listener = listen({
      address: socket,
      clock,
      log,
      metrics,
      handle: upgradeQueue.through(serve, forward, (request) => (isForSite(request) ? undefined : probe(request))),
      handleOverflow: probe,
      limiter,
      timeouts: { bodySeconds: config.bodyTimeoutSeconds, minBodyBytesPerSecond: config.bodyMinBytesPerSecond },
      memory,
      trustedProxies: new TrustedProxies(config.trustedProxies),
      proxyProtocol: config.proxyProtocol,
      ...(tls && name !== "plain" && { tls: tls.options }),
    });
    listeners.push(listener);
  }
  // At the same time, because idle connections remain open for a while during an upgrade.
  const patience = () => (upgradeQueue.isOpen ? [] : [idleConnectionMilliseconds, lastResponseMilliseconds]);
  lifecycle.onClose("listeners", () => Promise.all(listeners.map((each) => each.stop(...patience()))));
  // Closed before the listeners, which wait for open responses.
  lifecycle.onClose("followed logs", () => link.notify(["stopping"]));

  lifecycle.started();

  const isDeciding = () => listeners.reduce((sum, each) => sum + each.undecidedRequests(), 0) > upgradeQueue.held;
  return {
    async hold() {
      upgradeQueue.hold();
      const until = performance.now() + decisionMilliseconds;
      while (isDeciding() && performance.now() < until) await Bun.sleep(holdPollMilliseconds);
      await lifecycle.endPeriodicWork();
      await flush();
      await storage.endReads();
    },
    forward: () => upgradeQueue.forward(),
    drain() {
      lifecycle.stopping();
      for (const each of listeners) each.drain();
    },
  };
}

/** Without a configured limit, each process accepts what its descriptors allow. */
function machineLimits(
  { workers, maxConnections, maxConnectionsPerAddress }: Config,
  { clients }: ConnectionShares,
): ConnectionLimits {
  const ofMachine = Math.min(maxConnections ?? Number.POSITIVE_INFINITY, clients.maxConnections * Math.max(1, workers));
  const maxPerAddress = maxConnectionsPerAddress ?? Math.ceil(ofMachine / 2);
  return { maxConnections: ofMachine, maxPerAddress, maxHere: clients.maxConnections };
}

/** Returns why the version does not start here. */
async function prepare(dataPlane: DataPlane | undefined, version: StartableVersion) {
  try {
    await dataPlane?.gateway.prepare(version);
    return [];
  } catch (error) {
    if (error instanceof StartFailure) return error.faults;
    throw error;
  }
}

/** The part of the management API that workers serve: verify-key. */
function verifyPipeline(
  { storage, clock, log, metrics, tracer }: Foundation,
  { buckets, meteringBuckets, verifier, verifications }: DataPlane,
  quotas: QuotaHolds,
  authenticator: Authentication,
  keyring: Keyring,
): Pipeline {
  const consumers = new Consumers(new Keys(keyring), buckets);
  const takes = new KeyQuotaTakes({ storage, buckets: meteringBuckets, quotas, durable: durableTake() });
  return new Pipeline({
    endpoints: routeScope({ area: "Keys" }, verifyRoutes({ consumers, verifier, buckets, verifications, takes })),
    systemPaths: [],
    // Requests with a session are forwarded.
    credentials: new Credentials(authenticator, { authenticate: () => undefined, checkOrigin: () => {} }),
    places: noPlaces,
    storage,
    keyring,
    clock,
    log,
    metrics,
    tracer,
  });
}
