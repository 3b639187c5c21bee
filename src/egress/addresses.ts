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
