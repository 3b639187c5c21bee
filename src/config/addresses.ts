import { isLocalhost } from "../platform/egress/addresses.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** The address of the server. Clients append a path to it. */
export function publicUrl(reader: EnvironmentReader): string | undefined {
  const text = reader.url("TOLLGATE_PUBLIC_URL", ["http:", "https:"]);
  const { username, password, href } = new URL(text ?? "http://localhost");
  // A `URL` ignores an empty query or fragment, but paths are appended to the text.
  if (username + password === "" && !/[?#]/.test(href)) return text?.replace(/\/+$/, "");
  reader.errors.push("TOLLGATE_PUBLIC_URL must have no user, password, query or fragment.");
  return undefined;
}

/** The addresses of portals, which deployments must not have. */
export function portalUrl(reader: EnvironmentReader): string | undefined {
  const text = reader.urlTemplate("TOLLGATE_PORTAL_URL");
  const hostOf = (template: string) => template.toLowerCase().replace(/^https?:|:\d+$/g, "");
  if (text !== undefined && hostOf(text) === hostOf(reader.given("TOLLGATE_GATEWAY_URL")?.replace(/\/$/, "") ?? ""))
    reader.errors.push(
      "TOLLGATE_PORTAL_URL must have other hosts than TOLLGATE_GATEWAY_URL, such as https://{name}.portal.example.com.",
    );
  return text;
}

/** A server behind a proxy listens on loopback, so its public name decides whether others can reach it. */
export function egress(reader: EnvironmentReader, host: string): "any" | "public" {
  const { given } = reader;
  const templates = [given("TOLLGATE_GATEWAY_URL"), given("TOLLGATE_PORTAL_URL")];
  const urls = [given("TOLLGATE_PUBLIC_URL"), ...templates.map((text) => text?.replace("{name}", "name"))];
  const hosts = [host, ...urls.flatMap((text) => (text && URL.parse(text)?.hostname) || [])];
  return reader.choice("TOLLGATE_EGRESS", ["any", "public"], hosts.every(isLoopback) ? "any" : "public", "public");
}

/** A server that is reachable only from this machine may have its upstreams there. */
function isLoopback(host: string): boolean {
  return isLocalhost(host) || host === "::1" || host === "[::1]" || /^127\./.test(host);
}
