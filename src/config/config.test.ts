import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import fc from "fast-check";
import { configErrors } from "../../test/support/config-errors.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { type Config, ConfigError, type Environment, readConfig } from "./config.ts";

test.each([
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "the-secret"],
  ["OTEL_TRACES_SAMPLER", "sometimes"],
  ["OTEL_TRACES_SAMPLER_ARG", "2"],
])("%s=%s is an error", (name, value) => {
  const errors = configErrors({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://h", [name]: value });
  expect(errors).toHaveLength(1);
  expect(errors[0]).toStartWith(`${name} must be `);
  expect(errors[0]).not.toContain("the-secret");
});

test("draining takes 10 s behind a proxy, and at most 300", () => {
  const seconds = (environment: Record<string, string>) => readConfig(environment).drainSeconds;
  expect(seconds({ TOLLGATE_TRUSTED_PROXIES: "loopback" })).toBe(10);
  expect(seconds({ TOLLGATE_TRUSTED_PROXIES: "loopback", TOLLGATE_DRAIN_SECONDS: "0" })).toBe(0);
  expect(seconds({ TOLLGATE_DRAIN_SECONDS: "300" })).toBe(300);
  for (const text of ["301", "-1", "1.5", "1e1", "ten"])
    expect(() => readConfig({ TOLLGATE_DRAIN_SECONDS: text })).toThrow(
      `TOLLGATE_DRAIN_SECONDS must be an integer from 0 to 300, not "${text}".`,
    );
});

test("an empty environment is a valid configuration", () => {
  expect(readConfig({})).toEqual({
    host: "127.0.0.1",
    port: 8787,
    gatewayListener: undefined,
    tls: undefined,
    httpListener: undefined,
    maxConnections: undefined,
    maxConnectionsPerAddress: undefined,
    maxUpstreamConnections: undefined,
    bodyTimeoutSeconds: 3600,
    drainSeconds: 0,
    bodyMinBytesPerSecond: 100,
    dnsServers: [],
    trustedProxies: [],
    proxyProtocol: false,
    mcpWrites: false,
    metricsToken: undefined,
    dataDirectory: resolve("data"),
    copyDirectory: resolve("data/copy"),
    exportDirectory: undefined,
    databaseUrl: undefined,
    databaseFeedUrl: undefined,
    databaseReplicaUrl: undefined,
    databaseConnections: 8,
    databasePatience: 1,
    publicUrl: undefined,
    allowedHosts: [],
    gatewayUrl: undefined,
    portalUrl: undefined,
    egress: "any",
    account: "default",
    adminToken: undefined,
    operatorToken: undefined,
    encryptionKeys: [],
    acceptedKeyLosses: [],
    logLevel: "info",
    staleSeconds: 300,
    cacheMegabytes: expect.any(Number),
    workers: 0,
    eventDays: 400,
    auditDays: 400,
    insight: true,
    requestDays: 7,
    clientAddresses: "full",
    traces: undefined,
    mail: undefined,
    stripeUrl: "https://api.stripe.com",
    oidc: undefined,
    unknownSettings: [],
    unusedSettings: [],
  });
});

const bytes = Buffer.alloc(32, "the newer encryption key");
const older = Buffer.alloc(32, "the older encryption key");

describe("settings:", () => {
  const sealed = { TOLLGATE_ENCRYPTION_KEY: bytes.toString("hex") };
  const accepted: [Environment, Partial<Config>][] = [
    [{ TOLLGATE_PORT: "0" }, { port: 0 }],
    [{ TOLLGATE_PORT: "65535" }, { port: 65_535 }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://h:4318", OTEL_EXPORTER_OTLP_HEADERS: "a=b%20c, d=e" },
      {
        traces: {
          endpoint: "http://h:4318",
          headers: { a: "b c", d: "e" },
          serviceName: "tollgate",
          sampler: "parentbased_always_on",
          ratio: 1,
        },
      },
    ],
    [{ TOLLGATE_REQUEST_DAYS: "0" }, { requestDays: 0 }],
    [{ TOLLGATE_CLIENT_ADDRESSES: "prefix" }, { clientAddresses: "prefix" }],
    [{ TOLLGATE_PORT: " 80 " }, { port: 80 }],
    [{ TOLLGATE_INSIGHT: "off" }, { insight: false }],
    [{ TOLLGATE_MCP_WRITES: "1" }, { mcpWrites: true }],
    [{ TOLLGATE_INSIGHT: "on" }, { insight: true }],
    [{ TOLLGATE_PORT: "" }, { port: 8787 }],
    [{ TOLLGATE_HOST: "::1" }, { host: "::1" }],
    [{ TOLLGATE_GATEWAY_PORT: "80" }, { gatewayListener: { host: "127.0.0.1", port: 80 } }],
    [{ TOLLGATE_GATEWAY_PORT: "0", TOLLGATE_GATEWAY_HOST: "::" }, { gatewayListener: { host: "::", port: 0 } }],
    [{ TOLLGATE_MAX_CONNECTIONS: "10" }, { maxConnections: 10 }],
    [{ TOLLGATE_TRUSTED_PROXIES: "loopback, 10.0.0.0/8" }, { trustedProxies: ["loopback", "10.0.0.0/8"] }],
    [{ TOLLGATE_TRUSTED_PROXIES: "::1", TOLLGATE_PROXY_PROTOCOL: "true" }, { proxyProtocol: true }],
    [
      { TOLLGATE_DATA_DIR: "/var/lib/tollgate" },
      { dataDirectory: "/var/lib/tollgate", copyDirectory: "/var/lib/tollgate/copy" },
    ],
    [{ TOLLGATE_COPY_DIR: "/var/copies" }, { copyDirectory: "/var/copies" }],
    [{ TOLLGATE_DATA_DIR: "some/where" }, { dataDirectory: resolve("some/where") }],
    [{ DATABASE_URL: "postgres://u:p@h/d", ...sealed }, { databaseUrl: "postgres://u:p@h/d" }],
    [{ DATABASE_URL: "postgresql://h:5432/d", ...sealed }, { databaseUrl: "postgresql://h:5432/d" }],
    [{ TOLLGATE_EXPORT_DIR: "/var/exports/" }, { exportDirectory: "/var/exports" }],
    [{ TOLLGATE_DATABASE_FEED_URL: "postgres://h/d" }, { databaseFeedUrl: "postgres://h/d" }],
    [{ TOLLGATE_DATABASE_REPLICA_URL: "postgres://h/d" }, { databaseReplicaUrl: "postgres://h/d" }],
    [{ TOLLGATE_ACCEPT_KEY_LOSS: "0123abcd, 4567EF89" }, { acceptedKeyLosses: ["0123abcd", "4567ef89"] }],
    [
      { TOLLGATE_DNS_SERVERS: "10.0.0.2, [::1]:5353 ,,::1,127.0.0.1:53" },
      { dnsServers: ["10.0.0.2", "[::1]:5353", "::1", "127.0.0.1:53"] },
    ],
    [{ TOLLGATE_ALLOWED_HOSTS: " a.example, b:80 ,,[::1]" }, { allowedHosts: ["a.example", "b:80", "[::1]"] }],
    [{ TOLLGATE_PUBLIC_URL: "https://api.example.com//" }, { publicUrl: "https://api.example.com" }],
    [{ TOLLGATE_GATEWAY_URL: "https://{name}.example.com" }, { gatewayUrl: "https://{name}.example.com" }],
    [{ TOLLGATE_GATEWAY_URL: "https://{name}.example.com/" }, { gatewayUrl: "https://{name}.example.com" }],
    [{ TOLLGATE_HOST: "0.0.0.0" }, { egress: "public" }],
    [{ TOLLGATE_HOST: "127.0.0.2" }, { egress: "any" }],
    [{ TOLLGATE_HOST: "0.0.0.0", TOLLGATE_EGRESS: "any" }, { egress: "any" }],
    [{ TOLLGATE_PUBLIC_URL: "https://manage.example.com" }, { egress: "public" }],
    [{ TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com" }, { egress: "public" }],
    [
      { TOLLGATE_PUBLIC_URL: "http://localhost:8787", TOLLGATE_GATEWAY_URL: "http://{name}.localhost" },
      { egress: "any" },
    ],
    [{ TOLLGATE_PUBLIC_URL: "http://[::1]:8787" }, { egress: "any" }],
    [{ TOLLGATE_PUBLIC_URL: "https://manage.example.com", TOLLGATE_EGRESS: "any" }, { egress: "any" }],
    [{ TOLLGATE_EGRESS: "public" }, { egress: "public" }],
    [{ TOLLGATE_ACCOUNT: "a-1" }, { account: "a-1" }],
    [{ TOLLGATE_ACCOUNT: "a".repeat(128) }, { account: "a".repeat(128) }],
    [{ TOLLGATE_ADMIN_TOKEN: "~".repeat(16) }, { adminToken: "~".repeat(16) }],
    [{ TOLLGATE_OPERATOR_TOKEN: "!".repeat(512) }, { operatorToken: "!".repeat(512) }],
    [{ TOLLGATE_ENCRYPTION_KEY: bytes.toString("hex") }, { encryptionKeys: [bytes] }],
    [{ TOLLGATE_ENCRYPTION_KEY: bytes.toString("hex").toUpperCase() }, { encryptionKeys: [bytes] }],
    [{ TOLLGATE_ENCRYPTION_KEY: bytes.toString("base64") }, { encryptionKeys: [bytes] }],
    [{ TOLLGATE_ENCRYPTION_KEY: bytes.toString("base64url") }, { encryptionKeys: [bytes] }],
    [
      { TOLLGATE_ENCRYPTION_KEY: `${bytes.toString("base64")}, ${older.toString("hex")}` },
      { encryptionKeys: [bytes, older] },
    ],
    [{ TOLLGATE_LOG: "debug" }, { logLevel: "debug" }],
    [{ TOLLGATE_STALE_SECONDS: "0" }, { staleSeconds: 0 }],
    [{ TOLLGATE_DATABASE_PATIENCE: "4" }, { databasePatience: 4 }],
    [{ TOLLGATE_CACHE_MB: "1" }, { cacheMegabytes: 1 }],
    [{ TOLLGATE_WORKERS: "4" }, { workers: 4 }],
  ];
  test.each(accepted)("%o", (environment, expected) => {
    expect(readConfig(environment)).toMatchObject(expected);
  });
});

describe("rejected settings, by name:", () => {
  const rejected: [string, string][] = [
    ["TOLLGATE_PORT", "http"],
    ["TOLLGATE_PORT", "-1"],
    ["TOLLGATE_PORT", "65536"],
    ["TOLLGATE_PORT", "80.5"],
    ["TOLLGATE_PORT", "0x50"],
    ["TOLLGATE_PORT", "1e3"],
    ["TOLLGATE_HOST", "[::1]"],
    ["TOLLGATE_HOST", "127.0.0.1:80"],
    ["TOLLGATE_HOST", "http://a.example"],
    ["TOLLGATE_HOST", "a b"],
    ["DATABASE_URL", "mysql://h/d"],
    ["TOLLGATE_EXPORT_DIR", "exports"],
    ["TOLLGATE_EXPORT_DIR", import.meta.path],
    ["TOLLGATE_DATABASE_FEED_URL", "h:5432"],
    ["DATABASE_URL", "not an address"],
    ["TOLLGATE_PUBLIC_URL", "ftp://example.com"],
    ["TOLLGATE_PUBLIC_URL", "example.com"],
    ["TOLLGATE_EGRESS", "none"],
    ["TOLLGATE_ACCOUNT", "Default"],
    ["TOLLGATE_ACCOUNT", "a b"],
    ["TOLLGATE_ACCOUNT", "a".repeat(129)],
    ["TOLLGATE_ADMIN_TOKEN", "x".repeat(15)],
    ["TOLLGATE_ADMIN_TOKEN", "x".repeat(513)],
    ["TOLLGATE_ADMIN_TOKEN", "sixteen or more, with spaces"],
    ["TOLLGATE_OPERATOR_TOKEN", "größer als sechzehn"],
    ["TOLLGATE_ENCRYPTION_KEY", bytes.toString("hex").slice(1)],
    ["TOLLGATE_ENCRYPTION_KEY", bytes.toString("base64").slice(4)],
    ["TOLLGATE_ENCRYPTION_KEY", `${bytes.toString("base64")},`],
    ["TOLLGATE_ENCRYPTION_KEY", `${bytes.toString("base64")},short`],
    // Decoders skip characters that are not base64. A typo must not become another key.
    ["TOLLGATE_ENCRYPTION_KEY", `${bytes.toString("base64").slice(0, 20)} ${bytes.toString("base64").slice(20)}`],
    ["TOLLGATE_ENCRYPTION_KEY", `"${bytes.toString("base64")}"`],
    ["TOLLGATE_ACCEPT_KEY_LOSS", "true"],
    ["TOLLGATE_ACCEPT_KEY_LOSS", "0123abcd,"],
    ["TOLLGATE_LOG", "verbose"],
    ["TOLLGATE_LOG", "INFO"],
    ["TOLLGATE_DATABASE_PATIENCE", "0"],
    ["TOLLGATE_DATABASE_PATIENCE", "21"],
    ["TOLLGATE_STALE_SECONDS", "-1"],
    ["TOLLGATE_STALE_SECONDS", "86401"],
    ["TOLLGATE_CACHE_MB", "0"],
    ["TOLLGATE_INSIGHT", "yes"],
    ["TOLLGATE_REQUEST_DAYS", "-1"],
    ["TOLLGATE_CLIENT_ADDRESSES", "half"],
  ];
  test.each(rejected)("%s=%s", (name, value) => {
    const errors = configErrors({ [name]: value });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toStartWith(`${name} must be `);
  });

  test.each([
    ["TOLLGATE_TRUSTED_PROXIES", "foo, 10.0.0.0/8, 10.0.0.0/99", '"foo", "10.0.0.0/99"'],
    ["TOLLGATE_TRUSTED_PROXIES", "10.0.0.5/8, 10.0.0.5", '"10.0.0.5/8"'],
    ["TOLLGATE_ALLOWED_HOSTS", "a/b, manage.internal, c d", '"a/b", "c d"'],
    ["TOLLGATE_DNS_SERVERS", "ns1.example, 10.0.0.2, 10.0.0.3:0x", '"ns1.example", "10.0.0.3:0x"'],
  ])("%s=%s, with every wrong entry", (name, value, wrong) => {
    const errors = configErrors({ [name]: value });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toEndWith(`, not ${wrong}.`);
  });

  test.each([
    "https://a.example/?x=1",
    "https://a.example/?",
    "https://a.example/#b",
    "https://a.example/#",
    "https://user:password@a.example",
  ])("TOLLGATE_PUBLIC_URL=%s, which no path can be appended to", (value) => {
    expect(configErrors({ TOLLGATE_PUBLIC_URL: value })).toEqual([
      "TOLLGATE_PUBLIC_URL must have no user, password, query or fragment.",
    ]);
  });

  test.each([
    {},
    { TOLLGATE_HOST: "0.0.0.0", TOLLGATE_GATEWAY_HOST: "127.0.0.1" },
    { TOLLGATE_HOST: "192.0.2.1", TOLLGATE_GATEWAY_HOST: "::" },
    { TOLLGATE_HOST: "localhost", TOLLGATE_GATEWAY_HOST: "127.0.0.1" },
  ])("two listeners with one port: %o", (hosts) => {
    expect(configErrors({ TOLLGATE_PORT: "8443", TOLLGATE_GATEWAY_PORT: "8443", ...hosts })).toEqual([
      "TOLLGATE_GATEWAY_PORT and TOLLGATE_PORT must differ, not both be 8443.",
    ]);
  });

  test("not two listeners with one port at two addresses, nor with any free port", () => {
    const hosts = { TOLLGATE_HOST: "192.0.2.1", TOLLGATE_GATEWAY_HOST: "192.0.2.2" };
    expect(configErrors({ TOLLGATE_PORT: "443", TOLLGATE_GATEWAY_PORT: "443", ...hosts })).toEqual([]);
    expect(configErrors({ TOLLGATE_PORT: "0", TOLLGATE_GATEWAY_PORT: "0" })).toEqual([]);
  });

  test.each([undefined, "", " , "])("TOLLGATE_PROXY_PROTOCOL with TOLLGATE_TRUSTED_PROXIES=%s", (value) => {
    const environment = {
      TOLLGATE_PROXY_PROTOCOL: "true",
      ...(value !== undefined && { TOLLGATE_TRUSTED_PROXIES: value }),
    };
    expect(configErrors(environment)).toEqual([
      "TOLLGATE_PROXY_PROTOCOL needs TOLLGATE_TRUSTED_PROXIES: the proxies that send its header.",
    ]);
  });

  test.each([
    ["http://gateway.example.com", "must contain {name} once"],
    ["ftp://{name}.example.com", "must be an http or https address"],
    ["https://example.com/{name}", "must contain {name} in its host"],
  ])("TOLLGATE_GATEWAY_URL=%s", (value, error) => {
    expect(configErrors({ TOLLGATE_GATEWAY_URL: value })).toEqual([`TOLLGATE_GATEWAY_URL ${error}.`]);
  });

  test("PostgreSQL without an encryption key: a key in a container's folder would be lost with it", async () => {
    const folder = await temporaryFolder("data");
    const environment = { DATABASE_URL: "postgres://h/d", TOLLGATE_DATA_DIR: folder.path };
    const [error, ...others] = configErrors(environment);
    expect(others).toEqual([]);
    expect(error).toStartWith("TOLLGATE_ENCRYPTION_KEY must be set together with DATABASE_URL");
    expect(error).toContain("`openssl rand -base64 32`");
    expect(error).toContain(`${folder.path}/encryption-key`);
    // An installation from before this requirement continues with its key file.
    await Bun.write(`${folder.path}/encryption-key`, `${bytes.toString("base64")}\n`);
    expect(readConfig(environment).encryptionKeys).toEqual([]);
    await folder.remove();
  });

  test("the admin's token as the operator's", () => {
    const token = "one token for two purposes".replaceAll(" ", "-");
    expect(configErrors({ TOLLGATE_ADMIN_TOKEN: token, TOLLGATE_OPERATOR_TOKEN: token })).toEqual([
      "TOLLGATE_ADMIN_TOKEN and TOLLGATE_OPERATOR_TOKEN must differ.",
    ]);
  });
});

test("every error is reported together, and no secret is repeated", () => {
  const environment = {
    TOLLGATE_PORT: "many",
    DATABASE_URL: "mysql://user:the-password@host/name",
    TOLLGATE_PUBLIC_URL: "nowhere",
    TOLLGATE_ACCOUNT: "Not a name",
    TOLLGATE_ADMIN_TOKEN: "the admin token",
    TOLLGATE_OPERATOR_TOKEN: "the operator token",
    TOLLGATE_ENCRYPTION_KEY: "the-encryption-key",
    TOLLGATE_LOG: "all",
    TOLLGATE_STALE_SECONDS: "long",
    TOLLGATE_CACHE_MB: "much",
  };
  const errors = configErrors(environment);
  expect(errors.map((error) => error.split(" ")[0]).sort()).toEqual(Object.keys(environment).sort());
  const { message } = new ConfigError(errors);
  expect(message).toStartWith("The configuration has 10 errors:\n  - ");
  for (const secret of ["the-password", "the admin", "the operator", "the-encryption"])
    expect(message).not.toContain(secret);
});

test("an unknown variable is reported also if another setting has an error", () => {
  const read = () => readConfig({ TOLLGATE_PROT: "80", TOLLGATE_LOG: "all" });
  expect(read).toThrow(
    /^The configuration has an error:\n {2}- TOLLGATE_LOG .*\n {2}- TOLLGATE_PROT is not a setting; is it a typo\?$/,
  );
});

test("an unknown variable with our prefix is reported; others are ignored", () => {
  const environment = { TOLLGATE_PROT: "80", TOLLGATE_port: "80", PORT: "80", HOME: "/root", TOLLGATE_PORT: "80" };
  expect(readConfig(environment).unknownSettings).toEqual(["TOLLGATE_PROT", "TOLLGATE_port"]);
});

test("a setting without the one that it requires is reported", () => {
  const acme = { TOLLGATE_ACME_EMAIL: "ops@a.example", TOLLGATE_ACME_DIRECTORY: "https://ca.example" };
  expect(readConfig({ ...acme, TOLLGATE_ALLOWED_HOSTS: "a.example" }).unusedSettings).toEqual([
    { name: "TOLLGATE_ACME_EMAIL", needs: "TOLLGATE_ACME=on" },
    { name: "TOLLGATE_ACME_DIRECTORY", needs: "TOLLGATE_ACME=on" },
    { name: "TOLLGATE_ALLOWED_HOSTS", needs: "TOLLGATE_PUBLIC_URL" },
  ]);
  const needed = { TOLLGATE_ACME: "on", TOLLGATE_HTTP_PORT: "80", TOLLGATE_PUBLIC_URL: "https://a.example" };
  expect(readConfig({ ...acme, ...needed, TOLLGATE_ALLOWED_HOSTS: "b.example" }).unusedSettings).toEqual([]);
});

test("an encryption key is parsed exactly or rejected, never as another key", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 0, maxLength: 64 }), (key) => {
      const text = Buffer.from(key).toString("base64");
      fc.pre(text !== "");
      if (key.length === 32)
        expect(readConfig({ TOLLGATE_ENCRYPTION_KEY: text }).encryptionKeys[0]).toEqual(Buffer.from(key));
      else expect(configErrors({ TOLLGATE_ENCRYPTION_KEY: text })).toHaveLength(1);
    }),
  );
});

test("mail goes to a server or to a folder", () => {
  const mail = (environment: Record<string, string>) => readConfig(environment).mail;
  expect(mail({})).toBeUndefined();
  expect(mail({ TOLLGATE_MAIL_FOLDER: "mail" })).toEqual({
    folder: resolve("mail"),
    from: "no-reply@localhost",
    hasSignIn: true,
  });
  const both = { TOLLGATE_MAIL_FOLDER: "mail", TOLLGATE_SMTP_URL: "smtp://h", TOLLGATE_MAIL_FROM: "a@b" };
  expect(configErrors(both)).toEqual(["TOLLGATE_MAIL_FOLDER cannot be combined with TOLLGATE_SMTP_URL."]);
});
