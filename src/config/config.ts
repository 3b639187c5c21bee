import { existsSync, statSync } from "node:fs";
import { totalmem } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { isHost } from "../lib/network/hosts.ts";
import { namePattern, namePatternText } from "../lib/text/names.ts";
import { isDnsServer } from "../platform/dns-lookup.ts";
import { isTrustedProxy } from "../platform/http1/server/trusted-proxies.ts";
import { cpuCount } from "../platform/processes/cpu-count.ts";
import { parsePostgresUrl } from "../platform/storage/postgres-hosts.ts";
import { levels } from "../platform/telemetry/log.ts";
import { egress, portalUrl, publicUrl } from "./addresses.ts";
import { oidcSettings, readOidcConfig } from "./console-sign-in.ts";
import { acceptedKeyLosses, encryptionKeys, sharedKeyErrors } from "./encryption-keys.ts";
import { type Environment, EnvironmentReader } from "./environment-reader.ts";
import { readMailConfig } from "./mail.ts";
import { equalPortErrors } from "./ports.ts";
import { readTlsConfig } from "./tls.ts";
import { readTraceOptions } from "./traces.ts";

export type { Environment };

export type Config = ReturnType<typeof parseConfig>["config"];

/** Variables of the command line, which may run in the same environment. */
const clientSettings = ["TOLLGATE_URL", "TOLLGATE_TOKEN", "TOLLGATE_WEBHOOK_SECRET"];

export class ConfigError extends Error {
  /** `unknownSettings` may explain an error: a name with a typo leaves a setting without its value. */
  constructor(
    readonly errors: string[],
    unknownSettings: readonly string[] = [],
  ) {
    const lines = [...errors, ...unknownSettings.map((name) => `${name} is not a setting; is it a typo?`)];
    super(
      `The configuration has ${errors.length === 1 ? "an error" : `${errors.length} errors`}:\n${lines.map((line) => `  - ${line}`).join("\n")}`,
    );
  }
}

/** Parses all settings, and reports all errors together. */
export function readConfig(environment: Environment): Config {
  const { config, errors } = parseConfig(environment);
  if (errors.length > 0) throw new ConfigError(errors, config.unknownSettings);
  return config;
}

/** Settings with errors have their defaults. `names` are the environment variables that the server reads. */
export function parseConfig(environment: Environment) {
  const reader = new EnvironmentReader(environment);
  const { given, errors, names } = reader;
  const dataDirectory = given("TOLLGATE_DATA_DIR") ?? "./data";
  const host = reader.listenHost("TOLLGATE_HOST") ?? "127.0.0.1";
  const gatewayHost = reader.listenHost("TOLLGATE_GATEWAY_HOST") ?? host;
  const config = {
    host,
    port: reader.integer("TOLLGATE_PORT", 8787, 0, 65_535),
    /** The address of deployments, if it is not `host` and `port`. */
    gatewayListener: gatewayListener(reader, gatewayHost),
    /** Undefined for plain HTTP. */
    tls: readTlsConfig(reader),
    /** The port for plain HTTP that redirects to TLS. */
    httpListener: httpListener(reader, host, gatewayHost),
    /** The maximum number of client connections. The default depends on the limit of file descriptors. */
    maxConnections: reader.optionalInteger("TOLLGATE_MAX_CONNECTIONS", 1, 10_000_000),
    maxConnectionsPerAddress: reader.optionalInteger("TOLLGATE_MAX_CONNECTIONS_PER_ADDRESS", 1, 10_000_000),
    /** The maximum number of connections to one upstream. */
    maxUpstreamConnections: reader.optionalInteger("TOLLGATE_MAX_UPSTREAM_CONNECTIONS", 1, 10_000_000),
    /** How long the body of a request may take to arrive. */
    bodyTimeoutSeconds: reader.integer("TOLLGATE_BODY_TIMEOUT_SECONDS", 3600, 1, 86_400),
    /** Slower bodies are rejected after a minute. */
    bodyMinBytesPerSecond: reader.integer("TOLLGATE_BODY_MIN_BYTES_PER_SECOND", 100, 0, 1_000_000),
    /** Addresses, networks or `loopback`: proxies that are trusted to report the client's address. */
    trustedProxies: trustedProxies(reader),
    /** Trusted proxies begin each connection with a PROXY protocol header. */
    proxyProtocol: reader.boolean("TOLLGATE_PROXY_PROTOCOL"),
    /** How long the server accepts and serves requests after SIGTERM, while `/readyz` returns 503. */
    drainSeconds: reader.integer("TOLLGATE_DRAIN_SECONDS", defaultDrainSeconds(reader), 0, 300),
    metricsToken: reader.token("TOLLGATE_METRICS_TOKEN"),
    dataDirectory: resolve(dataDirectory),
    /** The folder below which exports may write files. Undefined if they may not. */
    exportDirectory: exportDirectory(reader),
    databaseUrl: databaseUrl(reader, "DATABASE_URL"),
    /** The address of PostgreSQL itself, for the feed and migrations, if `databaseUrl` leads to a pooler. */
    databaseFeedUrl: databaseUrl(reader, "TOLLGATE_DATABASE_FEED_URL"),
    /** A read replica of the database, for analytics, exports and the request log. */
    databaseReplicaUrl: databaseUrl(reader, "TOLLGATE_DATABASE_REPLICA_URL"),
    /** The maximum number of connections of this node to PostgreSQL. */
    databaseConnections: reader.integer("TOLLGATE_DATABASE_CONNECTIONS", 8, 3, 1_000),
    /** Multiplies the timeouts of PostgreSQL. */
    databasePatience: reader.integer("TOLLGATE_DATABASE_PATIENCE", 1, 1, 20),
    /** The public URL of the server, without a trailing slash. The default is host and port. */
    publicUrl: publicUrl(reader),
    /** Further hosts of the management API, if there is a public URL. */
    allowedHosts: reader.list("TOLLGATE_ALLOWED_HOSTS", isHost, "names of hosts, such as manage.internal"),
    /** The public address of a deployment: a URL with `{name}` in its host. The default is below localhost. */
    gatewayUrl: reader.urlTemplate("TOLLGATE_GATEWAY_URL"),
    /** The public address of a portal: a URL with `{name}` in its host. The default is below portal.localhost. */
    portalUrl: portalUrl(reader),
    /** The DNS servers for the records of custom domains. Empty to use the servers of the system. */
    dnsServers: reader.list(
      "TOLLGATE_DNS_SERVERS",
      isDnsServer,
      "IP addresses with an optional port, such as 10.0.0.2 or [::1]:5353",
    ),
    /** Whether deployments may reach loopback, private and link-local addresses (`any`) or not (`public`). */
    egress: egress(reader, host),
    account: accountName(reader),
    adminToken: reader.token("TOLLGATE_ADMIN_TOKEN"),
    operatorToken: reader.token("TOLLGATE_OPERATOR_TOKEN"),
    /** The first key encrypts, all keys decrypt. Empty to use the key in the data directory. */
    encryptionKeys: encryptionKeys(reader),
    /** Names of encryption keys that are lost. */
    acceptedKeyLosses: acceptedKeyLosses(reader),
    logLevel: reader.choice("TOLLGATE_LOG", levels, "info"),
    /** Where a node keeps the copy with which it starts while PostgreSQL is unavailable. */
    copyDirectory: resolve(given("TOLLGATE_COPY_DIR") ?? `${dataDirectory}/copy`),
    /** How long cached keys and tokens stay valid while storage is unavailable. */
    staleSeconds: reader.integer("TOLLGATE_STALE_SECONDS", 300, 0, 86_400),
    /** The number of processes that serve traffic. With 0, one process does everything. */
    workers: workers(reader),
    /** The memory for cached keys. */
    cacheMegabytes: reader.integer("TOLLGATE_CACHE_MB", quarterOfMemory(), 1, 1_048_576),
    /** How long usage events are stored, and with them the deduplication of events. */
    eventDays: reader.integer("TOLLGATE_EVENT_DAYS", 400, 1, 36_500),
    /** How long entries of the audit log are stored. */
    auditDays: reader.integer("TOLLGATE_AUDIT_DAYS", 400, 1, 36_500),
    /** Whether requests to deployments are counted for analytics and recorded. */
    insight: reader.choice("TOLLGATE_INSIGHT", ["on", "off"], "on") === "on",
    /** How long requests to deployments are stored. 0 stores none. */
    requestDays: reader.integer("TOLLGATE_REQUEST_DAYS", 7, 0, 3_650),
    /** How much of client addresses is recorded. */
    clientAddresses: reader.choice("TOLLGATE_CLIENT_ADDRESSES", ["full", "prefix", "none"], "full", "none"),
    /** The destination of request spans. Undefined if there is none. */
    traces: readTraceOptions(reader),
    /** The identity provider of people. Undefined if there is none. */
    oidc: readOidcConfig(reader),
    /** Undefined if no mail is sent. */
    mail: readMailConfig(reader),
    /** Whether assistants may change something at `/mcp`, each time after a person has confirmed it. */
    mcpWrites: reader.choice("TOLLGATE_MCP_WRITES", ["0", "1"], "0") === "1",
    /** The address of Stripe's API, without a trailing slash. */
    stripeUrl: (reader.url("TOLLGATE_STRIPE_URL", ["https:", "http:"]) ?? "https://api.stripe.com").replace(/\/$/, ""),
    unusedSettings: unusedSettings(given),
    /** Unknown variables with the prefix of settings, which most likely are typos. Evaluated when all settings are read. */
    unknownSettings: Object.keys(environment).filter(
      (name) => name.startsWith("TOLLGATE_") && !names.has(name) && !clientSettings.includes(name),
    ),
  };
  errors.push(...sharedKeyErrors(reader, config));
  if (config.adminToken !== undefined && config.adminToken === config.operatorToken)
    errors.push("TOLLGATE_ADMIN_TOKEN and TOLLGATE_OPERATOR_TOKEN must differ.");
  if (config.proxyProtocol && !/[^\s,]/.test(given("TOLLGATE_TRUSTED_PROXIES") ?? ""))
    errors.push("TOLLGATE_PROXY_PROTOCOL needs TOLLGATE_TRUSTED_PROXIES: the proxies that send its header.");
  errors.push(...equalPortErrors(config, errors));
  return { config, errors, names };
}

function gatewayListener(reader: EnvironmentReader, host: string) {
  const port = reader.optionalInteger("TOLLGATE_GATEWAY_PORT", 0, 65_535);
  if (port !== undefined) return { host, port };
  if (reader.given("TOLLGATE_GATEWAY_HOST") !== undefined)
    reader.errors.push("TOLLGATE_GATEWAY_HOST needs TOLLGATE_GATEWAY_PORT.");
  return undefined;
}

/** At the public host, where challenges of certificates arrive. */
function httpListener(reader: EnvironmentReader, host: string, gatewayHost: string) {
  const port = reader.optionalInteger("TOLLGATE_HTTP_PORT", 0, 65_535);
  const publicHost = reader.given("TOLLGATE_GATEWAY_PORT") === undefined ? host : gatewayHost;
  return port === undefined ? undefined : { host: publicHost, port };
}

function trustedProxies(reader: EnvironmentReader): string[] {
  const requirement = "addresses, networks such as 10.0.0.0/8 without bits after their prefix, or loopback";
  const entries = reader.list("TOLLGATE_TRUSTED_PROXIES", isTrustedProxy, requirement);
  return entries.every(isTrustedProxy) ? entries : [];
}

/** A proxy notices by its health checks that this node stops, and needs time for that. */
export const drainSecondsBehindProxy = 10;

function defaultDrainSeconds({ given }: EnvironmentReader): number {
  return /[^\s,]/.test(given("TOLLGATE_TRUSTED_PROXIES") ?? "") ? drainSecondsBehindProxy : 0;
}

function databaseUrl(reader: EnvironmentReader, name: string): string | undefined {
  const text = reader.given(name);
  if (text === undefined || parsePostgresUrl(text)) return text;
  // The value is not included, because it contains a password.
  reader.errors.push(
    `${name} must be an address such as postgres://user:password@host:5432/name, with several hosts separated by commas.`,
  );
  return undefined;
}

function exportDirectory({ given, errors }: EnvironmentReader): string | undefined {
  const path = given("TOLLGATE_EXPORT_DIR");
  if (path === undefined) return undefined;
  if (!isAbsolute(path)) errors.push(`TOLLGATE_EXPORT_DIR must be an absolute path, not ${JSON.stringify(path)}.`);
  else if (existsSync(path) && !statSync(path).isDirectory())
    errors.push(`TOLLGATE_EXPORT_DIR must be a folder, but ${JSON.stringify(path)} is a file.`);
  return resolve(path);
}

function accountName({ given, errors }: EnvironmentReader): string {
  const text = given("TOLLGATE_ACCOUNT") ?? "default";
  if (!namePattern.test(text)) errors.push(`TOLLGATE_ACCOUNT must be ${namePatternText}, not ${JSON.stringify(text)}.`);
  return text;
}

function workers({ given, errors }: EnvironmentReader): number {
  const text = given("TOLLGATE_WORKERS") ?? "0";
  const count = text === "auto" ? cpuCount() : Number(text);
  if (!Number.isInteger(count) || count < 0 || count > 256) {
    errors.push(`TOLLGATE_WORKERS must be auto or an integer from 0 to 256, not ${JSON.stringify(text)}.`);
    return 0;
  }
  if (count > 0 && process.platform !== "linux") {
    errors.push("TOLLGATE_WORKERS must be 0 on this system: workers share listening sockets, which needs Linux.");
    return 0;
  }
  return count;
}

/** The default limit of the cache of keys, which uses memory only for keys that are in use. */
function quarterOfMemory(): number {
  return Math.max(64, Math.floor(totalmem() / 4 / 1024 / 1024));
}

/** A setting that has no effect, because a setting that it requires is not set. */
interface UnusedSetting {
  name: string;
  needs: string;
}

const acme = ["TOLLGATE_ACME_EMAIL", "TOLLGATE_ACME_DIRECTORY", "TOLLGATE_ACME_CA"];

const postgres = [
  "TOLLGATE_DATABASE_CONNECTIONS",
  "TOLLGATE_DATABASE_FEED_URL",
  "TOLLGATE_DATABASE_REPLICA_URL",
  "TOLLGATE_DATABASE_PATIENCE",
  "TOLLGATE_COPY_DIR",
];

export function unusedSettings(given: (name: string) => string | undefined): UnusedSetting[] {
  return [
    ...(given("TOLLGATE_ACME") === "on" ? [] : acme.map((name) => ({ name, needs: "TOLLGATE_ACME=on" }))),
    ...(given("TOLLGATE_OIDC_ISSUER") ? [] : oidcSettings.map((name) => ({ name, needs: "TOLLGATE_OIDC_ISSUER" }))),
    ...(given("TOLLGATE_SMTP_URL") || given("TOLLGATE_MAIL_FOLDER")
      ? []
      : ["TOLLGATE_MAIL_FROM", "TOLLGATE_MAIL_SIGN_IN"].map((name) => ({ name, needs: "TOLLGATE_SMTP_URL" }))),
    ...(given("DATABASE_URL") ? [] : postgres.map((name) => ({ name, needs: "DATABASE_URL" }))),
    ...(given("TOLLGATE_PUBLIC_URL") ? [] : [{ name: "TOLLGATE_ALLOWED_HOSTS", needs: "TOLLGATE_PUBLIC_URL" }]),
  ].filter(({ name }) => given(name) !== undefined);
}
