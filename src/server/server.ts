import { tokenUseWrite } from "../areas/access/accounts/authentication.ts";
import { type FirstStart, prepareFirstStart } from "../areas/access/accounts/first-start.ts";
import { startPartitions } from "../areas/commerce/metering/partitions/partitions.ts";
import type { RunBuilder } from "../areas/gateways/deployments/builds/build-run.ts";
import { SigningKeys } from "../areas/operations/audit-log/signing-keys.ts";
import type { Config } from "../config/config.ts";
import { openKeyring } from "../core/database/encryption.ts";
import { hostnameOf } from "../lib/network/hosts.ts";
import { Lifecycle } from "../lib/tasks/lifecycle.ts";
import { type Clock, SharedClock } from "../lib/time/clock.ts";
import { fetchJwksWith } from "../platform/jwt/jwks-source.ts";
import { writeServerUrl } from "../platform/storage/data-directory/data-directory.ts";
import { Log, type LogSink } from "../platform/telemetry/log.ts";
import { openCounters } from "./background-services/counters.ts";
import { openControlPlane, version } from "./control-plane.ts";
import { openDataPlane } from "./data-plane.ts";
import { descriptorLimit, shareDescriptors } from "./descriptors.ts";
import { keepCopy, openFoundation } from "./foundation/foundation.ts";
import { OwnAddress } from "./foundation/own-address.ts";
import { type ListenerSockets, openListeners } from "./listeners.ts";
import { AppPages } from "./pages/app-pages.ts";
import { PortalPreviewPages } from "./pages/portal-preview-pages.ts";
import { readWebPack } from "./pages/web-pack.ts";

export { version };

export interface Server {
  /** The URL that this process listens at. */
  url: string;
  /** The URL for clients. */
  publicUrl: string;
  firstStart: FirstStart;
  /**
   * Completes background work that otherwise takes seconds: writes counts and records, delivers webhook messages, seals
   * the audit log, exports spans. For callers that move the clock, so that the work has the time of its cause.
   */
  catchUp(): Promise<void>;
  /** Runs every periodic task now, all at the same time: those of each second, and those of each hour. */
  runTasks(): Promise<void>;
  /** Resolves when no worker is connected. */
  unused(): Promise<void>;
  /** From now on `/readyz` returns 503, and connections close with their next response. Requests are still served. */
  drain(): void;
  /** Finishes requests in progress, flushes pending writes and closes everything. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  clock?: Clock;
  log?: LogSink;
  /** Coloured lines for a terminal instead of JSON. */
  readableLog?: boolean;
  builderCommand?: string[];
  /** Replaces the builder's process. */
  runBuilder?: RunBuilder;
  /** Additional Host headers of deployments; may change at any time. */
  hostAliases?: ReadonlyMap<string, string>;
  /** A PostgreSQL option, see PostgresOptions. */
  transactionMilliseconds?: number;
  /** Set if workers serve traffic, and this process does everything else. */
  primary?: PrimaryOptions;
}

interface PrimaryOptions {
  /** The socket at which workers connect. */
  channel: number;
  /** The sockets at which workers forward requests. */
  sockets: ListenerSockets;
  /** The path of the socket of the process that runs sandboxes. */
  sandboxes: string;
  /** Whether the workers had another primary a moment ago. */
  isSuccessor: boolean;
}

const stdout: LogSink = { write: (text) => process.stdout.write(text) };

/** Starts the server in one process. A failed start closes what it opened and throws. */
export async function startServer(config: Config, options: ServerOptions = {}): Promise<Server> {
  const {
    clock = new SharedClock(),
    log: sink = stdout,
    readableLog = false,
    builderCommand,
    runBuilder,
    hostAliases,
    transactionMilliseconds,
    primary,
  } = options;
  const log = new Log({ level: config.logLevel, readable: readableLog, sink });
  const lifecycle = new Lifecycle((what, error) => log.warn(`${what} failed and will be retried`, { error }));
  try {
    // Imported only with workers: without them, the process has no code of theirs.
    const hubOf = async ({ isSuccessor }: PrimaryOptions) => {
      const { WorkerHub } = await import("./primary-process/worker-hub.ts");
      const clockOffset = () => (clock instanceof SharedClock ? clock.offset : 0);
      return new WorkerHub({ log, release: version, isSuccessor, clockOffset });
    };
    const hub = primary && (await hubOf(primary));
    const foundation = await openFoundation(config, {
      clock,
      log,
      lifecycle,
      transactionMilliseconds,
      ...(hub && { follow: (storage) => hub.follow(storage) }),
    });
    const { storage } = foundation;
    const { dataDirectory, account, adminToken } = config;
    const prepareStorage = async () => {
      const keyring = await openKeyring(storage, {
        configured: config.encryptionKeys,
        dataDirectory,
        acceptedLosses: config.acceptedKeyLosses,
        now: clock.now(),
        warn: (message) => log.warn(message),
      });
      const firstStart = await prepareFirstStart(storage, { account, adminToken, dataDirectory, now: clock.now() });
      if (storage.feed.trust() !== "copied")
        await startPartitions(storage, { now: clock.now(), retentionDays: config.eventDays, log });
      return { keyring, firstStart };
    };
    foundation.available.work = async () => void (await prepareStorage());
    const { keyring, firstStart } = await prepareStorage();
    keepCopy(foundation, keyring);

    const auditKeys = await SigningKeys.open(storage, keyring, clock.now());

    const address = new OwnAddress(config);
    const connections = shareDescriptors(descriptorLimit(), config);
    const counters = openCounters(foundation, keyring);
    const dataPlane = openDataPlane(foundation, {
      keyring,
      counters,
      address,
      hostAliases,
      connections,
      ...(primary && { sandboxes: { path: primary.sandboxes, user: { release: version, isPrimary: true } } }),
      ...(hub && { upstreamStates: hub.upstreamStates, checkers: hub.checkers }),
    });
    const { domains, portals } = dataPlane;
    await Promise.all([domains.load(), portals.load(), counters.windows.load(clock.now())]);
    const customHosts = async () => {
      // Read from storage: a node that lags behind the change feed would delete certificates that another node just
      // ordered.
      await dataPlane.domains.load();
      return [...dataPlane.domains.all()].map(({ host }) => host);
    };
    const portalHosts = async () => {
      await portals.load();
      return portals.names().map((name) => hostnameOf(new URL(address.portalUrlOf({ name, host: null })).host));
    };
    const hosts = async () => [...(await customHosts()), ...(await portalHosts())];
    const tls =
      config.tls &&
      (await import("./background-services/tls.ts")).openTls(foundation, config.tls, {
        keyring,
        address,
        customHosts: hosts,
      });
    const controlPlane = openControlPlane(foundation, dataPlane, {
      keyring,
      auditKeys,
      address,
      counters,
      otherProcesses: hub && (() => hub.processes()),
      metricsText: hub && ((options) => hub.metricsText(options, foundation.metrics)),
      upstreams: hub?.statuses(),
      starter: hub ? hub.starter(dataPlane.gateway) : dataPlane.gateway,
      certificates: tls?.certificates,
      builderCommand,
      runBuilder,
    });
    const portalFiles = await readWebPack("portal");
    const { listener, gatewayListener, listeners } = openListeners(foundation, {
      controlPlane,
      dataPlane,
      apps: [await AppPages.read("console"), await AppPages.read("docs"), new PortalPreviewPages(portalFiles)],
      portalFiles,
      limits: connections.clients,
      address,
      tls,
      sockets: primary?.sockets,
    });
    if (hub) {
      const writes = [...dataPlane.transferred, ...controlPlane.transferred, tokenUseWrite];
      const fetchDocument = fetchJwksWith(dataPlane.egress);
      const onStopping = () => controlPlane.followers.closeAll();
      hub.listen(primary.channel, { counters, writes, fetchDocument, onStopping, now: () => clock.now() });
      lifecycle.onClose("workers", () => hub.stop());
    }
    // Closed before the listener, which waits for open responses.
    lifecycle.onClose("followed logs", () => controlPlane.followers.closeAll());
    address.listensOn(listener.port, gatewayListener?.port);
    await tls?.start();
    await controlPlane.start();

    const { maxConnections } = connections.clients;
    if (config.maxConnections !== undefined && config.maxConnections > maxConnections)
      log.warn("TOLLGATE_MAX_CONNECTIONS is more than the limit of open files allows (ulimit -n)", { maxConnections });
    for (const { name, needs } of config.unusedSettings) log.warn("setting has no effect alone", { name, needs });
    for (const name of config.unknownSettings) log.warn("unknown setting; is it a typo?", { name });
    const serverUrl = writeServerUrl(dataDirectory, config.tls ? address.publicUrl : address.url);
    lifecycle.onClose("server url", () => serverUrl.remove());
    const gateway = gatewayListener && { gatewayPort: gatewayListener.port };
    const console = `${address.publicUrl}/console`;
    lifecycle.started();
    log.info("listening", { url: address.url, console, ...gateway, storage: storage.engine, version });
    log.flush();
    return {
      url: address.url,
      publicUrl: address.publicUrl,
      firstStart,
      async catchUp() {
        await hub?.flush();
        await Promise.all([counters.flush(), dataPlane.flush()]);
        await controlPlane.catchUp();
        await foundation.tracer?.flush();
      },
      async runTasks() {
        await Promise.all([lifecycle.runAll(), hub?.runTasks()]);
      },
      async unused() {
        await hub?.unused();
      },
      drain() {
        log.info("draining");
        log.flush();
        lifecycle.stopping();
        for (const each of listeners) each.drain();
      },
      async stop() {
        await lifecycle.close();
        log.info("stopped");
        log.flush();
      },
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}
