import { BlockList, isIP } from "node:net";
import { embeddedAddresses } from "./embedded-addresses.ts";

/** Special-purpose IPv4 ranges (IANA) that are not globally reachable, and addresses that clouds use internally. */
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
 * The only public range of IPv6. Loopback, unique local, link-local, multicast and addresses that embed IPv4 (mapped,
 * NAT64) are outside of it.
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

/** Whether a normalized address is reachable from the internet. */
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
 * Link-local addresses and cloud metadata services, which return credentials. No legitimate upstream has such an
 * address, so no setting allows them.
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
for (const [address, prefix] of metadata4) neverReachable.addSubnet(address, prefix, "ipv4");
for (const [address, prefix] of metadata6) neverReachable.addSubnet(address, prefix, "ipv6");

/** Whether an address is link-local or a metadata service. Such addresses are rejected in every egress mode. */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (family === 4) return neverReachable.check(address, "ipv4");
  return (
    neverReachable.check(address, "ipv6") ||
    embeddedAddresses(address).some((each) => neverReachable.check(each, "ipv4"))
  );
}

/** Whether a name denotes this machine. Such names are not resolved (RFC 6761). */
export function isLocalhost(name: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(name);
}

/** Which addresses deployments may connect to. Neither mode includes link-local and metadata addresses. */
export type EgressMode = "any" | "public";

/**
 * Whether an upstream is rejected without resolving a name, because its host is a literal address or localhost.
 * `upstream` must be a valid URL.
 */
export function isRejectedLiteral(mode: EgressMode, upstream: string): boolean {
  const name = hostnameOf(new URL(upstream));
  if (isIP(name) !== 0) return mode === "any" ? isMetadataAddress(name) : !isPublicAddress(name);
  return mode === "public" && isLocalhost(name);
}

/** Without IPv6 brackets. `URL` has normalized decimal, octal and hexadecimal addresses. */
export function hostnameOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}
