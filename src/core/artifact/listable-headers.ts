/**
 * Headers by which some upstreams replace the path, method or host that selected the policies of a route, or that they
 * treat as the client's name or address. They are removed from the requests of every client and proxy, unless
 * `forwardHeaders` of the route lists them.
 */
export const listableHeaders = [
  "fly-client-ip",
  "remote-user",
  "x-azure-clientip",
  "x-http-method-override",
  "x-method-override",
  "x-original-forwarded-for",
  "x-original-host",
  "x-original-url",
  "x-rewrite-url",
] as const;
