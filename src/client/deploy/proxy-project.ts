export interface ProxyProject {
  /** The title of its OpenAPI document. */
  title: string;
  /** An `http` or `https` origin, optionally with a base path. */
  upstream: string;
  /** Whether the upstream gets the client's Host header instead of its own host. */
  preserveHost?: boolean | undefined;
  /** The key bucket of its callers; `main` by default. */
  bucket?: string | undefined;
  productionBranch?: string | undefined;
  /** What a request takes 1 of, from the plan of its consumer. Without it, there is a limit of 60 requests a minute. */
  quota?: { bucketId: string; meter: string } | undefined;
}

/**
 * The files of a gateway project that forwards every request to one upstream, for an API without an OpenAPI document.
 * Every request requires a key and has a quota or a rate limit; other routes can be added to the document.
 */
export function proxyProject({
  title,
  upstream,
  preserveHost = false,
  bucket = "main",
  productionBranch,
  quota,
}: ProxyProject): Record<string, string> {
  const toUpstream = { summary: "Forwarded to the upstream" };
  const [name, limit] = quota
    ? ["quota", { type: "quota", options: { bucketId: quota.bucketId, meters: { [quota.meter]: 1 } } }]
    : ["limit", { type: "rate-limit", options: { by: "consumer", requests: 60, windowSeconds: 60 } }];
  return {
    "openapi.json": json({
      openapi: "3.1.0",
      info: { title, version: "1.0.0" },
      paths: { "/": { "x-tollgate-any": toUpstream }, "/{path+}": { "x-tollgate-any": toUpstream } },
    }),
    "tollgate.json": json({
      productionBranch,
      upstream: preserveHost ? { targets: [{ url: upstream }], preserveHost } : upstream,
      policies: { key: { type: "api-key", options: { bucket } }, [name]: limit },
      defaultPolicies: ["key", name],
    }),
  };
}

function json(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
