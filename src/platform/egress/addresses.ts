import { BlockList, isIP } from "node:net";

/** What the registry of special IPv4 addresses keeps from being reachable for everybody, and what clouds do. */
const special4: [address: string, prefix: number][] = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // behind a carrier's NAT, and one cloud's metadata
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // one cloud's host agent, on an address that looks public
  ["169.254.0.0", 16], // link-local, and most clouds' metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments, and one cloud's metadata
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays of 6to4
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
];

/**
 * The only part of IPv6 that is given out to the public. Loopback, unique local, link-local, multicast and every form that
 * wraps an IPv4 address (mapped, NAT64) lie outside of it.
 */
const global6: [address: string, prefix: number] = ["2000::", 3];

const special6: [address: string, prefix: number][] = [
  ["2001::", 23], // protocol assignments: Teredo wraps IPv4 addresses, benchmarks
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4 wraps IPv4 addresses
  ["3fff::", 20], // documentation
];

const blocked = new BlockList();
for (const [address, prefix] of special4) blocked.addSubnet(address, prefix, "ipv4");
for (const [address, prefix] of special6) blocked.addSubnet(address, prefix, "ipv6");
const global = new BlockList();
global.addSubnet(...global6, "ipv6");

/** Whether an address, in its usual spelling, is one that anybody on the internet could reach. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, "ipv4");
    case 6:
      return global.check(address, "ipv6") && !blocked.check(address, "ipv6");
    default:
      return false;
  }
}

/**
 * Where clouds hand out credentials to whoever asks from the machine, and what only neighbours on the same link can reach. No
 * upstream of anybody is there, so no setting opens them.
 */
const metadata4: [address: string, prefix: number][] = [
  ["169.254.0.0", 16], // link-local, and most clouds' metadata
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
];
const metadata6: [address: string, prefix: number][] = [
  ["fe80::", 10], // link-local
  ["fd00:ec2::254", 128],
  ["fd20:ce::254", 128],
];

const neverReachable = new BlockList();
for (const [address, prefix] of metadata4) {
  neverReachable.addSubnet(address, prefix, "ipv4");
  // Mapped, compatible and NAT64 forms of the same address reach the same host.
  for (const wrap of ["::ffff:", "::", "64:ff9b::"]) neverReachable.addSubnet(wrap + address, 96 + prefix, "ipv6");
}
for (const [address, prefix] of metadata6) neverReachable.addSubnet(address, prefix, "ipv6");

/** Whether an address is link-local or a cloud's metadata service, which no egress mode opens. */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && neverReachable.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Whether a host name means this machine: the resolver is not asked for these (RFC 6761). */
export function isLocalhost(name: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(name);
}

/** Which addresses the gateway and the code that runs in it may reach. Link-local and metadata addresses are in neither. */
export type EgressMode = "any" | "public";

/**
 * Whether an upstream can be told to be out of reach without resolving a name: its host is a literal address, or localhost.
 * `upstream` is a valid URL.
 */
export function isRejectedLiteral(mode: EgressMode, upstream: string): boolean {
  const name = hostnameOf(new URL(upstream));
  if (isIP(name) !== 0) return mode === "any" ? isMetadataAddress(name) : !isPublicAddress(name);
  return mode === "public" && isLocalhost(name);
}

/** Without the brackets of IPv6. URL parsing has brought odd spellings of addresses (decimal, octal, hexadecimal) to the usual one. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
