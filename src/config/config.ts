import { existsSync } from "node:fs";
import { totalmem } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { GatewayAddresses } from "../core/hosts/addresses.ts";
import { isHost } from "../lib/network/hosts.ts";
import { isAddress } from "../lib/network/ip-address.ts";
import { namePattern, namePatternText } from "../lib/text/names.ts";
import { isDnsServer } from "../platform/dns-lookup.ts";
import { isLocalhost } from "../platform/egress/addresses.ts";
import { isTrustedProxy } from "../platform/http1/server/trusted-proxies.ts";
import { cpuCount } from "../platform/processes/cpu-count.ts";
import { type LogLevel, levels } from "../platform/telemetry/log.ts";
import type { TraceOptions } from "../platform/telemetry/tracer.ts";
import { type MailConfig, readMailConfig } from "./mail.ts";
import { type OidcConfig, readOidcConfig } from "./oidc.ts";
import { equalPortErrors } from "./ports.ts";
import { clientSettings, settings } from "./settings.ts";
import { readTlsConfig, type TlsConfig } from "./tls.ts";
import { readTraceOptions } from "./traces.ts";
import { type UnusedSetting, unusedSettings } from "./unused-settings.ts";

export interface Config {
  host: string;
  port: number;
  /** The address of deployments, if it is not `host` and `port`. */
  gatewayListener: { host: string; port: number } | undefined;
  /** Undefined for plain HTTP. */
  tls: TlsConfig | undefined;
  /** The port for plain HTTP that redirects to TLS. */
  httpListener: { host: string; port: number } | undefined;
  /** The maximum number of client connections. The default depends on the limit of file descriptors. */
  maxConnections: number | undefined;
  maxConnectionsPerAddress: number | undefined;
  /** The maximum number of connections to one upstream. */
  maxUpstreamConnections: number | undefined;
  /** How long the body of a request may take to arrive. */
  bodyTimeoutSeconds: number;
  /** Slower bodies are rejected after a minute. */
  bodyMinBytesPerSecond: number;
  /** Addresses, networks or `loopback`: proxies that are trusted to report the client's address. */
  trustedProxies: string[];
  /** Trusted proxies begin each connection with a PROXY protocol header. */
  proxyProtocol: boolean;
  metricsToken: string | undefined;
  dataDirectory: string;
  databaseUrl: string | undefined;
  /** The public URL of the server, without a trailing slash. The default is host and port. */
  publicUrl: string | undefined;
  /** Further hosts of the management API, if there is a public URL. */
  allowedHosts: string[];
  /** The public address of a deployment: a URL with `{name}` in its host. The default is below localhost. */
  gatewayUrl: string | undefined;
  /** The public address of a portal: a URL with `{name}` in its host. The default is below portal.localhost. */
  portalUrl: string | undefined;
  /** The DNS servers for the records of custom domains. Empty to use the servers of the system. */
  dnsServers: string[];
  /** Whether deployments may reach loopback, private and link-local addresses (`any`) or not (`public`). */
  egress: "any" | "public";
  account: string;
  adminToken: string | undefined;
  operatorToken: string | undefined;
  /** The first key encrypts, all keys decrypt. Empty to use the key in the data directory. */
  encryptionKeys: Buffer[];
  /** Names of encryption keys that are lost. */
  acceptedKeyLosses: string[];
  logLevel: LogLevel;
  /** How long cached keys and tokens stay valid while storage is unavailable. */
  staleSeconds: number;
  /** The memory for cached keys. */
  cacheMegabytes: number;
  /** The number of processes that serve traffic. With 0, one process does everything. */
  workers: number;
  /** How long usage events are stored, and with them the deduplication of events. */
  eventDays: number;
  /** How long entries of the audit log are stored. */
  auditDays: number;
  /** Whether requests to deployments are counted for analytics and recorded. */
  insight: boolean;
  /** How long requests to deployments are stored. 0 stores none. */
  requestDays: number;
  /** How much of client addresses is recorded. */
  clientAddresses: "full" | "prefix" | "none";
  /** The destination of request spans. Undefined if there is none. */
  traces: TraceOptions | undefined;
  /** Undefined if no mail is sent. */
  mail: MailConfig | undefined;
  /** The identity provider of people. Undefined if there is none. */
  oidc: OidcConfig | undefined;
  /** Unknown variables with the prefix of settings, which most likely are typos. */
  unknownSettings: string[];
  unusedSettings: UnusedSetting[];
}

export class ConfigError extends Error {
  constructor(readonly errors: string[]) {
    super(
      `The configuration has ${errors.length === 1 ? "an error" : `${errors.length} errors`}:\n${errors.map((error) => `  - ${error}`).join("\n")}`,
    );
  }
}

export type Environment = Record<string, string | undefined>;

/** Parses all settings, and reports all errors together. */
export function readConfig(environment: Environment): Config {
  const { config, errors } = parseConfig(environment);
  if (errors.length > 0) throw new ConfigError(errors);
  return config;
}

/** Settings with errors have their defaults. */
export function parseConfig(environment: Environment): { config: Config; errors: string[] } {
  const errors: string[] = [];
  const given = (name: string) => environment[name]?.trim() || undefined;

  function integer(name: string, fallback: number, minimum: number, maximum: number): number {
    const text = given(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
    errors.push(`${name} must be an integer from ${minimum} to ${maximum}, not ${JSON.stringify(text)}.`);
    return fallback;
  }

  function url(name: string, protocols: string[]): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    const parsed = URL.parse(text);
    if (parsed && protocols.includes(parsed.protocol)) return text;
    // The value is not included, because a database address contains a password.
    errors.push(
      `${name} must be an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}.`,
    );
    return undefined;
  }

  function token(name: string): string | undefined {
    const text = given(name);
    if (text === undefined || /^[\x21-\x7e]{16,512}$/.test(text)) return text;
    errors.push(`${name} must be 16 to 512 visible ASCII characters without spaces.`);
    return undefined;
  }

  function accountName(): string {
    const text = given("TOLLGATE_ACCOUNT") ?? "default";
    if (!namePattern.test(text))
      errors.push(`TOLLGATE_ACCOUNT must be ${namePatternText}, not ${JSON.stringify(text)}.`);
    return text;
  }

  function logLevel(): LogLevel {
    const text = given("TOLLGATE_LOG") ?? "info";
    const level = levels.find((known) => known === text);
    if (!level) errors.push(`TOLLGATE_LOG must be debug, info, warn or error, not ${JSON.stringify(text)}.`);
    return level ?? "info";
  }

  /** A URL with `{name}` in its host. */
  function urlTemplate(name: string): string | undefined {
    const text = given(name);
    if (text === undefined) return undefined;
    try {
      new GatewayAddresses(text);
    } catch (error) {
      errors.push(`${name} ${(error as Error).message}.`);
    }
    return text.replace(/\/$/, "");
  }

  function portalUrl(): string | undefined {
    const text = urlTemplate("TOLLGATE_PORTAL_URL");
    const hostOf = (template: string) => template.toLowerCase().replace(/^https?:|:\d+$/g, "");
    if (text !== undefined && hostOf(text) === hostOf(given("TOLLGATE_GATEWAY_URL")?.replace(/\/$/, "") ?? ""))
      errors.push(
        "TOLLGATE_PORTAL_URL must have other hosts than TOLLGATE_GATEWAY_URL, such as https://{name}.portal.example.com.",
      );
    return text;
  }

  /** Clients append a path to this URL. */
  function publicUrl(): string | undefined {
    const text = url("TOLLGATE_PUBLIC_URL", ["http:", "https:"]);
    const { username, password, href } = new URL(text ?? "http://localhost");
    // A `URL` ignores an empty query or fragment, but paths are appended to the text.
    if (username + password === "" && !/[?#]/.test(href)) return text?.replace(/\/+$/, "");
    errors.push("TOLLGATE_PUBLIC_URL must have no user, password, query or fragment.");
    return undefined;
  }

  function allowedHosts(): string[] {
    const hosts = (given("TOLLGATE_ALLOWED_HOSTS") ?? "").split(",").map((host) => host.trim());
    const named = hosts.filter((host) => host !== "");
    const wrong = named.filter((host) => !isHost(host));
    if (wrong.length > 0)
      errors.push(
        `TOLLGATE_ALLOWED_HOSTS must be names of hosts, such as manage.internal, separated by commas, not ${quoted(wrong)}.`,
      );
    return named;
  }

  function dnsServers(): string[] {
    const servers = (given("TOLLGATE_DNS_SERVERS") ?? "").split(",").map((server) => server.trim());
    const named = servers.filter((server) => server !== "");
    const wrong = named.filter((server) => !isDnsServer(server));
    if (wrong.length > 0)
      errors.push(
        "TOLLGATE_DNS_SERVERS must be IP addresses with an optional port, such as 10.0.0.2 or [::1]:5353, separated by commas, " +
          `not ${quoted(wrong)}.`,
      );
    return named;
  }

  /** A server behind a proxy listens on loopback, so its public name decides whether others can reach it. */
  function egress(host: string): "any" | "public" {
    const templates = [given("TOLLGATE_GATEWAY_URL"), given("TOLLGATE_PORTAL_URL")];
    const urls = [given("TOLLGATE_PUBLIC_URL"), ...templates.map((text) => text?.replace("{name}", "name"))];
    const hosts = [host, ...urls.flatMap((text) => (text && URL.parse(text)?.hostname) || [])];
    const text = given("TOLLGATE_EGRESS") ?? (hosts.every(isLoopback) ? "any" : "public");
    if (text === "any" || text === "public") return text;
    errors.push(`TOLLGATE_EGRESS must be any or public, not ${JSON.stringify(text)}.`);
    return "public";
  }

  function insight(): boolean {
    const text = given("TOLLGATE_INSIGHT") ?? "on";
    if (text !== "on" && text !== "off")
      errors.push(`TOLLGATE_INSIGHT must be on or off, not ${JSON.stringify(text)}.`);
    return text !== "off";
  }

  function clientAddresses(): Config["clientAddresses"] {
    const text = given("TOLLGATE_CLIENT_ADDRESSES") ?? "full";
    if (text === "full" || text === "prefix" || text === "none") return text;
    errors.push(`TOLLGATE_CLIENT_ADDRESSES must be full, prefix or none, not ${JSON.stringify(text)}.`);
    return "none";
  }

  function encryptionKeys(): Buffer[] {
    const texts = given("TOLLGATE_ENCRYPTION_KEY")?.split(",") ?? [];
    const keys = texts.map((text) => parseKey(text.trim()));
    if (keys.includes(undefined))
      errors.push(
        "TOLLGATE_ENCRYPTION_KEY must be 32 bytes as 64 hex digits or base64 (`openssl rand -base64 32` creates one); " +
          "several are separated by commas, the newest first.",
      );
    return keys.filter((key) => key !== undefined);
  }

  function acceptedKeyLosses(): string[] {
    const names = given("TOLLGATE_ACCEPT_KEY_LOSS")?.split(",") ?? [];
    const trimmed = names.map((name) => name.trim().toLowerCase());
    if (!trimmed.every((name) => /^[0-9a-f]{8}$/.test(name)))
      errors.push(
        "TOLLGATE_ACCEPT_KEY_LOSS must be the names of the lost encryption keys, separated by commas: eight hex digits each, " +
          "as printed by the failed start.",
      );
    return trimmed;
  }

  function optionalInteger(name: string, minimum: number, maximum: number): number | undefined {
    return given(name) === undefined ? undefined : integer(name, minimum, minimum, maximum);
  }

  function boolean(name: string): boolean {
    const text = given(name) ?? "false";
    if (text !== "true" && text !== "false") errors.push(`${name} must be true or false, not ${JSON.stringify(text)}.`);
    return text === "true";
  }

  function listenHost(name: string): string | undefined {
    const text = given(name);
    if (text === undefined || isAddress(text) || (isHost(text) && !/[:[]/.test(text))) return text;
    errors.push(
      `${name} must be an IP address or the name of a host, such as 127.0.0.1 or ::1, without a port or brackets, ` +
        `not ${JSON.stringify(text)}.`,
    );
    return undefined;
  }

  function gatewayListener(): Config["gatewayListener"] {
    const port = optionalInteger("TOLLGATE_GATEWAY_PORT", 0, 65_535);
    if (port !== undefined) return { host: gatewayHost ?? host, port };
    if (given("TOLLGATE_GATEWAY_HOST") !== undefined) errors.push("TOLLGATE_GATEWAY_HOST needs TOLLGATE_GATEWAY_PORT.");
    return undefined;
  }

  /** At the public host, where challenges of certificates arrive. */
  function httpListener(): Config["httpListener"] {
    const httpPort = optionalInteger("TOLLGATE_HTTP_PORT", 0, 65_535);
    const publicHost = given("TOLLGATE_GATEWAY_PORT") === undefined ? host : (gatewayHost ?? host);
    return httpPort === undefined ? undefined : { host: publicHost, port: httpPort };
  }

  function workers(): number {
    const text = given("TOLLGATE_WORKERS") ?? "0";
    const count = text === "auto" ? cpuCount() : Number(text);
    if (!Number.isInteger(count) || count < 0 || count > 256 || text.trim() === "") {
      errors.push(`TOLLGATE_WORKERS must be auto or an integer from 0 to 256, not ${JSON.stringify(text)}.`);
      return 0;
    }
    if (count > 0 && process.platform !== "linux") {
      errors.push("TOLLGATE_WORKERS must be 0 on this system: workers share listening sockets, which needs Linux.");
      return 0;
    }
    return count;
  }

  function trustedProxies(): string[] {
    const entries = (given("TOLLGATE_TRUSTED_PROXIES") ?? "").split(",").map((entry) => entry.trim());
    const named = entries.filter((entry) => entry !== "");
    const wrong = named.filter((entry) => !isTrustedProxy(entry));
    if (wrong.length > 0)
      errors.push(
        "TOLLGATE_TRUSTED_PROXIES must be addresses, networks such as 10.0.0.0/8 without bits after their prefix, or loopback, " +
          `separated by commas, not ${quoted(wrong)}.`,
      );
    return wrong.length > 0 ? [] : named;
  }

  const dataDirectory = given("TOLLGATE_DATA_DIR") ?? "./data";
  const host = listenHost("TOLLGATE_HOST") ?? "127.0.0.1";
  const gatewayHost = listenHost("TOLLGATE_GATEWAY_HOST");
  const config: Config = {
    host,
    port: integer("TOLLGATE_PORT", 8787, 0, 65_535),
    gatewayListener: gatewayListener(),
    tls: readTlsConfig(given, errors),
    httpListener: httpListener(),
    maxConnections: optionalInteger("TOLLGATE_MAX_CONNECTIONS", 1, 10_000_000),
    maxConnectionsPerAddress: optionalInteger("TOLLGATE_MAX_CONNECTIONS_PER_ADDRESS", 1, 10_000_000),
    maxUpstreamConnections: optionalInteger("TOLLGATE_MAX_UPSTREAM_CONNECTIONS", 1, 10_000_000),
    bodyTimeoutSeconds: integer("TOLLGATE_BODY_TIMEOUT_SECONDS", 3600, 1, 86_400),
    bodyMinBytesPerSecond: integer("TOLLGATE_BODY_MIN_BYTES_PER_SECOND", 100, 0, 1_000_000),
    trustedProxies: trustedProxies(),
    proxyProtocol: boolean("TOLLGATE_PROXY_PROTOCOL"),
    metricsToken: token("TOLLGATE_METRICS_TOKEN"),
    dataDirectory: isAbsolute(dataDirectory) ? dataDirectory : resolve(dataDirectory),
    databaseUrl: url("DATABASE_URL", ["postgres:", "postgresql:"]),
    publicUrl: publicUrl(),
    allowedHosts: allowedHosts(),
    gatewayUrl: urlTemplate("TOLLGATE_GATEWAY_URL"),
    portalUrl: portalUrl(),
    dnsServers: dnsServers(),
    egress: egress(host),
    account: accountName(),
    adminToken: token("TOLLGATE_ADMIN_TOKEN"),
    operatorToken: token("TOLLGATE_OPERATOR_TOKEN"),
    encryptionKeys: encryptionKeys(),
    acceptedKeyLosses: acceptedKeyLosses(),
    logLevel: logLevel(),
    staleSeconds: integer("TOLLGATE_STALE_SECONDS", 300, 0, 86_400),
    workers: workers(),
    cacheMegabytes: integer("TOLLGATE_CACHE_MB", quarterOfMemory(), 1, 1_048_576),
    eventDays: integer("TOLLGATE_EVENT_DAYS", 400, 1, 36_500),
    auditDays: integer("TOLLGATE_AUDIT_DAYS", 400, 1, 36_500),
    insight: insight(),
    requestDays: integer("TOLLGATE_REQUEST_DAYS", 7, 0, 3_650),
    clientAddresses: clientAddresses(),
    traces: readTraceOptions(given, errors),
    oidc: readOidcConfig(given, errors),
    mail: readMailConfig(given, url("TOLLGATE_SMTP_URL", ["smtp:", "smtps:"]), errors),
    unknownSettings: Object.keys(environment).filter(
      (name) => name.startsWith("TOLLGATE_") && ![...settings, ...clientSettings].includes(name),
    ),
    unusedSettings: unusedSettings(given),
  };
  const keyFile = join(config.dataDirectory, "encryption-key");
  // A key file that is created here would be lost with the container, and the next node could not start.
  if (config.databaseUrl && given("TOLLGATE_ENCRYPTION_KEY") === undefined && !existsSync(keyFile))
    errors.push(
      "TOLLGATE_ENCRYPTION_KEY must be set together with DATABASE_URL: all nodes of a database share it. Create one for a new database " +
        `with \`openssl rand -base64 32\` and keep it safe; otherwise set the key of its nodes (or put their key file at ${keyFile}).`,
    );
  if (config.adminToken !== undefined && config.adminToken === config.operatorToken)
    errors.push("TOLLGATE_ADMIN_TOKEN and TOLLGATE_OPERATOR_TOKEN must differ.");
  if (config.proxyProtocol && !/[^\s,]/.test(given("TOLLGATE_TRUSTED_PROXIES") ?? ""))
    errors.push("TOLLGATE_PROXY_PROTOCOL needs TOLLGATE_TRUSTED_PROXIES: the proxies that send its header.");
  errors.push(...equalPortErrors(config, errors));
  return { config, errors };
}

function quoted(texts: string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

/** The default limit of the cache of keys, which uses memory only for keys that are in use. */
function quarterOfMemory(): number {
  return Math.max(64, Math.floor(totalmem() / 4 / 1024 / 1024));
}

/** A server that is reachable only from this machine may have its upstreams there. */
function isLoopback(host: string): boolean {
  return isLocalhost(host) || host === "::1" || host === "[::1]" || /^127\./.test(host);
}

function parseKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  // Checked here, because Buffer skips characters that are not base64, so a typo would become another key.
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, "base64") : undefined;
}
