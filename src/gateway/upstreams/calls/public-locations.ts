import type { HttpHeaders } from "../../../platform/http1/message/headers.ts";

/** How the address of a request differs from that of the upstream. */
export interface Addresses {
  /** The hosts of the upstream, and the client's host if the upstream gets it. */
  hosts: ReadonlySet<string>;
  /** The base path of the upstream's URL; empty or without a slash at the end. */
  basePath: string;
  /** The prefix that a mount removed from the path; undefined if there is none. */
  mountPrefix: string | undefined;
  /** The path of the request after the prefix, and the one that policies have made of it. */
  publicPath: string;
  targetPath: string;
}

const names = ["location", "content-location"] as const;

/**
 * Replaces addresses of the upstream in `Location` and `Content-Location`, in place: they would reveal an internal
 * address, and clients could not reach it. The new value is a path, which is relative to the public address whatever
 * proxies are in between.
 */
export function replaceLocations(headers: HttpHeaders, addresses: () => Addresses): void {
  for (const name of names) {
    const value = headers.get(name);
    if (value === null) continue;
    const replaced = publicLocation(value, addresses());
    if (replaced !== undefined) headers.setOwn(name, replaced);
  }
}

/** Undefined if the location is to be sent as it is. */
export function publicLocation(location: string, addresses: Addresses): string | undefined {
  if (/^(?:https?:)?\/\//i.test(location)) {
    if (!URL.canParse(location, "http://relative")) return undefined;
    const { host, pathname, search, hash } = new URL(location, "http://relative");
    return addresses.hosts.has(host) ? publicPath(pathname, addresses) + search + hash : undefined;
  }
  // Browsers read a backslash as a slash, so `/\` begins another host.
  const path = /^\/(?!\\)[^?#]*/.exec(location)?.[0];
  return path === undefined ? undefined : publicPath(path, addresses) + location.slice(path.length);
}

function publicPath(path: string, { basePath, mountPrefix = "", ...addresses }: Addresses): string {
  // The upstream knows the prefix from `x-forwarded-prefix`.
  if (mountPrefix !== "" && isBelow(path, mountPrefix)) return path;
  const inner = isBelow(path, basePath) ? path.slice(basePath.length) || "/" : path;
  const { from, to } = replacedPrefix(addresses.targetPath, addresses.publicPath);
  const location = mountPrefix + (isBelow(inner, from) ? to + inner.slice(from.length) : inner);
  // A location that begins with `//` would be another host.
  return location.startsWith("//") ? `/.${location}` : location;
}

function isBelow(path: string, prefix: string): boolean {
  return prefix === "" || path === prefix || path.startsWith(`${prefix}/`);
}

/** The beginnings in which two paths differ, up to a slash: `/v2/orders/1` and `/orders/1` differ in `/v2` and nothing. */
function replacedPrefix(target: string, shown: string): { from: string; to: string } {
  if (target === shown) return { from: "", to: "" };
  let same = 0;
  while (same < target.length && same < shown.length && target.at(-1 - same) === shown.at(-1 - same)) same += 1;
  const slash = target.indexOf("/", target.length - same);
  const kept = slash === -1 ? 0 : target.length - slash;
  return { from: target.slice(0, target.length - kept), to: shown.slice(0, shown.length - kept) };
}
