/** Allowed by the policy `cors`. */
export const origin = "https://app.example.com";

/** Required by the policy `permission`. */
export const permission = "bench:read";

const jwtSecret = Buffer.from("a secret of at least 32 characters").toString("base64url");

/** A token that outlasts any benchmark. */
function benchToken(): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { iss: "https://id.example", sub: "bench", aud: "bench", exp: 9_999_999_999 };
  const signed = `${encoded({ alg: "HS256" })}.${encoded(claims)}`;
  const hmac = new Bun.CryptoHasher("sha256", Buffer.from(jwtSecret, "base64url")).update(signed);
  return `${signed}.${hmac.digest("base64url")}`;
}

/** For `tollgate.json`, beside those of a `Guard`. */
export const policies = {
  validate: { type: "validate" },
  permission: { type: "permission", options: { permission } },
  cors: { type: "cors", options: { origins: [origin] } },
  headers: {
    type: "headers",
    options: { request: { set: { "x-from": "bench" } }, response: { set: { "x-by": "bench" } } },
  },
  cache: { type: "cache", options: { seconds: 3600 } },
  sliding: {
    type: "rate-limit",
    options: { by: "ip", requests: 1_000_000_000, windowSeconds: 1, window: "sliding" },
  },
  basic: { type: "basic-auth", options: { bucket: "bench" } },
  jwt: { type: "jwt", options: { keys: [{ kty: "oct", k: jwtSecret }], audience: "bench", algorithms: ["HS256"] } },
  ip: { type: "ip-filter", options: { allow: ["127.0.0.0/8"], deny: ["192.0.2.0/24"] } },
  size: { type: "size-limit", options: { requestBytes: 100_000, responseBytes: 100_000 } },
  busy: { type: "concurrency", options: { by: "ip", requests: 1_000_000 } },
  rewrite: { type: "rewrite", options: { path: "/items", query: { set: { source: "bench" } } } },
  redirect: { type: "redirect", options: { to: "/open", status: 307 } },
  mock: { type: "mock" },
  "json-body": { type: "json-body", options: { request: { set: { "/source": "bench" } } } },
};

export interface PolicyRoute {
  readonly path: string;
  /** By name, in their order. */
  readonly policies: readonly string[];
  readonly what: string;
  readonly explanation: string;
  /** Sent instead of the key as a bearer token. */
  readonly authorize?: (key: string) => string;
  /** Whether the key has the permission. */
  readonly isPermitted?: true;
  /** With it the request is a POST, and so is the one that it is compared with. */
  readonly body?: string;
  /** Of every response; 2xx if left out. */
  readonly status?: number;
}

export const routes: readonly PolicyRoute[] = [
  {
    path: "/api-key",
    policies: ["key"],
    what: "forward with api-key",
    explanation: "The key is hashed and found in memory, and headers name the consumer to the upstream.",
  },
  {
    path: "/permission",
    policies: ["key", "permission"],
    what: "forward with api-key and permission",
    explanation: "The permissions of the key are in memory with it.",
    isPermitted: true,
  },
  {
    path: "/quota",
    policies: ["key", "quota"],
    what: "forward with api-key and quota",
    explanation: "The consumer's quota is consumed in memory and written in batches.",
  },
  {
    path: "/rate-limit",
    policies: ["limit"],
    what: "forward with rate-limit",
    explanation: "Every request is counted for its address.",
  },
  {
    path: "/rate-limit-sliding",
    policies: ["sliding"],
    what: "forward with rate-limit, sliding",
    explanation: "Every request is counted for its address, and the previous second counts by its share.",
  },
  {
    path: "/validate",
    policies: ["validate"],
    what: "forward with validate",
    explanation: "One query parameter is validated against its schema.",
  },
  {
    path: "/cors",
    policies: ["cors"],
    what: "forward with cors",
    explanation: "Every request names an allowed origin, as a browser does.",
  },
  {
    path: "/headers",
    policies: ["headers"],
    what: "forward with headers",
    explanation: "One header is set on the request, and one on the response.",
  },
  {
    path: "/cache",
    policies: ["cache"],
    what: "response from the cache",
    explanation: "Every response is a hit: nothing is forwarded.",
  },
  {
    path: "/basic-auth",
    policies: ["basic"],
    what: "forward with basic-auth",
    explanation: "The password is decoded, hashed and found in memory.",
    authorize: (key) => `Basic ${btoa(`bench:${key}`)}`,
  },
  {
    path: "/jwt",
    policies: ["jwt"],
    what: "forward with jwt",
    explanation: "The token was verified before: it is found in memory.",
    authorize: () => `Bearer ${benchToken()}`,
  },
  {
    path: "/usage",
    policies: ["key", "usage"],
    what: "forward with api-key and usage",
    explanation: "An estimate is held; the amount comes from a header that is missing, so the default counts.",
  },
  {
    path: "/ip-filter",
    policies: ["ip"],
    what: "forward with ip-filter",
    explanation: "The address is compared with an allowed and a denied network.",
  },
  {
    path: "/size-limit",
    policies: ["size"],
    what: "forward with size-limit",
    explanation: "The lengths of both bodies are compared; the policy is called again after the last byte.",
  },
  {
    path: "/concurrency",
    policies: ["busy"],
    what: "forward with concurrency",
    explanation: "Every request is counted for its address until its last byte.",
  },
  {
    path: "/rewrite",
    policies: ["rewrite"],
    what: "forward with rewrite",
    explanation: "Another path, and one parameter more in the query.",
  },
  {
    path: "/redirect",
    policies: ["redirect"],
    what: "redirect",
    explanation: "Nothing is forwarded.",
    status: 307,
  },
  {
    path: "/mock",
    policies: ["mock"],
    what: "mocked response",
    explanation: "Nothing is forwarded: the response is the example of the operation.",
  },
  {
    path: "/json-body",
    policies: ["json-body"],
    what: "forward a POST with json-body",
    explanation: "The request's body is parsed, gets one member, and is serialized.",
    body: '{"item":"tea","count":2}',
  },
];
