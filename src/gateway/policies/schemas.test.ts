import { expect, test } from "bun:test";
import { z } from "zod";
import { type PolicyTypeName, policySchemas } from "./schemas.ts";

const bucketId = "mtr_0QGzNqW81Kx8VhTb3mPcRdZu";

const minimal: Record<PolicyTypeName, { given: unknown; read: unknown }> = {
  "api-key": {
    given: { bucket: "main" },
    read: { bucket: "main", header: "authorization", scheme: "Bearer", allowAnonymous: false, oauth: false },
  },
  oauth: { given: { bucket: "main" }, read: { bucket: "main" } },
  permission: { given: { permission: "orders:read" }, read: { permission: "orders:read" } },
  quota: {
    given: { bucketId, meters: { requests: 1 } },
    read: { bucketId, meters: { requests: 1 }, statuses: ["1xx", "2xx", "3xx", "4xx"], overQuota: "reject" },
  },
  "rate-limit": {
    given: { requests: 10, windowSeconds: 60 },
    read: { by: "consumer", requests: 10, windowSeconds: 60, window: "fixed", legacyHeaders: true },
  },
  validate: { given: {}, read: {} },
  cors: {
    given: { origins: "*" },
    read: {
      origins: "*",
      methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      headers: "*",
      exposeHeaders: [],
      maxAgeSeconds: 600,
      credentials: false,
    },
  },
  headers: { given: {}, read: { request: { set: {}, remove: [] }, response: { set: {}, remove: [] } } },
  cache: { given: { seconds: 60 }, read: { seconds: 60, by: "consumer", vary: [] } },
  "basic-auth": { given: { bucket: "main" }, read: { bucket: "main" } },
  usage: {
    given: { bucketId, meters: { tokens: { pointer: "/usage/total_tokens" } } },
    read: {
      bucketId,
      meters: { tokens: { pointer: "/usage/total_tokens" } },
      statuses: ["1xx", "2xx", "3xx", "4xx"],
    },
  },
  jwt: {
    given: { issuer: "https://id.example", audience: "api", algorithms: ["RS256"] },
    read: {
      issuer: "https://id.example",
      audience: "api",
      algorithms: ["RS256"],
      requiredClaims: {},
      scopes: [],
      clockSkewSeconds: 30,
      allowNoExpiry: false,
    },
  },
  "ip-filter": { given: { allow: ["192.0.2.0/24"] }, read: { allow: ["192.0.2.0/24"] } },
  "size-limit": { given: { requestBytes: 100 }, read: { requestBytes: 100 } },
  concurrency: { given: { requests: 5 }, read: { by: "consumer", requests: 5 } },
  rewrite: { given: { path: "/v2/{id}" }, read: { path: "/v2/{id}" } },
  redirect: { given: { to: "/new/{id}" }, read: { to: "/new/{id}", status: 302 } },
  mock: { given: {}, read: { delayMs: 0 } },
  "json-body": {
    given: { request: { remove: ["/a"] } },
    read: { request: { set: {}, remove: ["/a"], rename: {} } },
  },
};

const types = Object.keys(policySchemas) as PolicyTypeName[];

test.each(types)("%s accepts minimal options and adds defaults", (type) => {
  const { given, read } = minimal[type];
  expect<unknown>(policySchemas[type].parse(given)).toEqual(read);
  // An artifact contains parsed options, which are parsed again.
  expect<unknown>(policySchemas[type].parse(read)).toEqual(read);
});

test.each(types)("%s rejects an option that is unknown", (type) => {
  const given = { ...(minimal[type].given as object), bukket: 1 };
  expect(policySchemas[type].safeParse(given).error?.issues[0]?.code).toBe("unrecognized_keys");
});

test.each(types)("%s describes each of its options", (type) => {
  const { properties = {} } = z.toJSONSchema(policySchemas[type], { io: "input" }) as {
    properties?: Record<string, { description?: string }>;
  };
  for (const [name, option] of Object.entries(properties)) expect([name, option.description]).not.toContain(undefined);
});

test.each<[PolicyTypeName, unknown, PropertyKey[]]>([
  ["api-key", {}, ["bucket"]],
  ["api-key", { bucket: "Main" }, ["bucket"]],
  ["api-key", { bucket: "main", header: "x-consumer-key" }, ["header"]],
  ["api-key", { bucket: "main", header: "x_consumer_key" }, ["header"]],
  ["api-key", { bucket: "main", header: "transfer_encoding" }, ["header"]],
  ["api-key", { bucket: "main", header: "a b" }, ["header"]],
  ["api-key", { bucket: "main", scheme: "Bearer " }, ["scheme"]],
  ["quota", { bucketId: "mtr_1", meters: { requests: 1 } }, ["bucketId"]],
  ["quota", { bucketId, meters: {} }, ["meters"]],
  ["quota", { bucketId, meters: { requests: 0 } }, ["meters", "requests"]],
  ["quota", { bucketId, meters: { requests: 1 }, statuses: ["2x"] }, ["statuses", 0]],
  ["quota", { bucketId, meters: { requests: 1 }, statuses: [600] }, ["statuses", 0]],
  ["quota", { bucketId, meters: { requests: 1 }, overQuota: "throw" }, ["overQuota"]],
  ["rate-limit", { windowSeconds: 60 }, ["requests"]],
  ["rate-limit", { requests: 0, windowSeconds: 60 }, ["requests"]],
  ["rate-limit", { requests: 1, windowSeconds: 1.5 }, ["windowSeconds"]],
  ["rate-limit", { requests: 1, windowSeconds: 1, by: "country" }, ["by"]],
  ["cors", { origins: [] }, ["origins"]],
  ["cors", { origins: ["https://example.com/"] }, ["origins", 0]],
  ["cors", { origins: ["https://app*.example.com"] }, ["origins", 0]],
  ["cors", { origins: "*", credentials: true }, ["credentials"]],
  ["cors", { origins: "*", methods: ["get"] }, ["methods", 0]],
  ["headers", { request: { set: { connection: "close" } } }, ["request", "set", "connection"]],
  ["headers", { request: { set: { "x-consumer-name": "acme" } } }, ["request", "set", "x-consumer-name"]],
  ["headers", { response: { remove: ["Transfer-Encoding"] } }, ["response", "remove", 0]],
  ["headers", { request: { set: { "x-a": "a\r\nx-b: b" } } }, ["request", "set", "x-a"]],
  ["cache", { seconds: 0 }, ["seconds"]],
  ["basic-auth", { bucket: "Main" }, ["bucket"]],
  ["jwt", { audience: "a", algorithms: ["RS256"] }, []],
  ["jwt", { issuer: "https://id.example", algorithms: ["RS256"] }, ["audience"]],
  ["jwt", { issuer: "https://id.example", audience: "a" }, ["algorithms"]],
  ["jwt", { issuer: "https://id.example", audience: "a", algorithms: ["none"] }, ["algorithms", 0]],
  ["jwt", { issuer: "https://id.example", audience: "a", algorithms: ["HS256"] }, ["algorithms", 0]],
  ["jwt", { keys: [{ kty: "oct" }], audience: "a", algorithms: ["HS256", "RS256"] }, ["algorithms", 0]],
  ["jwt", { issuer: "id.example", audience: "a", algorithms: ["RS256"] }, ["issuer"]],
  ["jwt", { issuer: "https://id.example/#a", audience: "a", algorithms: ["RS256"] }, ["issuer"]],
  ["jwt", { jwksUrl: "https://a.example", keys: [{ kty: "RSA" }], audience: "a", algorithms: ["RS256"] }, ["keys"]],
  [
    "jwt",
    { jwksUrl: "https://a.example", resource: "https://b.example", audience: "a", algorithms: ["RS256"] },
    ["resource"],
  ],
  ["usage", { bucketId, meters: {} }, ["meters"]],
  ["usage", { bucketId, meters: { tokens: {} } }, ["meters", "tokens"]],
  ["usage", { bucketId, meters: { tokens: { pointer: "usage" } } }, ["meters", "tokens", "pointer"]],
  ["usage", { bucketId, meters: { tokens: { header: "x", default: -1 } } }, ["meters", "tokens", "default"]],
  ["usage", { bucketId, meters: { a: { header: "x" } }, reserve: { b: { amount: 1 } } }, ["reserve", "b"]],
  ["usage", { bucketId, meters: { a: { header: "x" } }, reserve: { a: {} } }, ["reserve", "a"]],
  ["usage", { bucketId, meters: { a: { header: "x" } }, reserve: { a: { amount: 1, factor: 2 } } }, ["reserve", "a"]],
  ["usage", { bucketId, meters: { a: { header: "x" } }, onDisconnect: "forget" }, ["onDisconnect"]],
  ["ip-filter", {}, []],
  ["ip-filter", { allow: [] }, ["allow"]],
  ["ip-filter", { deny: ["192.0.2.0/24", "192.0.2.1/24"] }, ["deny", 1]],
  ["size-limit", {}, []],
  ["size-limit", { responseBytes: 0.5 }, ["responseBytes"]],
  ["concurrency", { requests: 0 }, ["requests"]],
  ["concurrency", { requests: 1, by: "country" }, ["by"]],
  ["rewrite", {}, []],
  ["rewrite", { path: "v2" }, ["path"]],
  ["rewrite", { path: "/a?b" }, ["path"]],
  ["rewrite", { path: "/a/../b" }, ["path"]],
  ["rewrite", { path: "/a/%2E%2e" }, ["path"]],
  ["rewrite", { path: "/a/{id" }, ["path"]],
  ["rewrite", { query: { set: { a: "{" } } }, ["query", "set", "a"]],
  ["redirect", { to: "//evil.example" }, ["to"]],
  ["redirect", { to: "https://{host}/a" }, ["to"]],
  ["redirect", { to: "https://a@b.example/" }, ["to"]],
  ["redirect", { to: "javascript:alert(1)" }, ["to"]],
  ["redirect", { to: "/a", status: 200 }, ["status"]],
  ["mock", { status: 100 }, ["status"]],
  ["mock", { delayMs: 60_001 }, ["delayMs"]],
  ["json-body", {}, []],
  ["json-body", { request: {} }, ["request"]],
  ["json-body", { request: { remove: ["a"] } }, ["request", "remove", 0]],
  ["json-body", { response: { set: { "": 1 } } }, ["response", "set", ""]],
])("%s rejects %j", (type, given, path) => {
  const places = policySchemas[type].safeParse(given).error!.issues.flatMap((issue) =>
    issue.code === "invalid_union"
      ? issue.errors
          .flat()
          .map((inner) => [...issue.path, ...inner.path])
          .concat([issue.path])
      : [issue.path],
  );
  expect(places).toContainEqual(path);
});
