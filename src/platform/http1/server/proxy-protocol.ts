import { isIP } from "node:net";
import { AddressBytes } from "../../../lib/network/ip-address.ts";
import { ProtocolError } from "../message/protocol-error.ts";
import { plainAddress } from "./trusted-proxies.ts";

/** The signature of version 2 (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt). */
const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const maxTextBytes = 107;
const maxPort = 65_535;
const fixedBytes = 16;
/** The longest accepted addresses and extensions. Real ones are much shorter. */
const maxBinaryBytes = 4096;

interface ProxyHeader {
  /** The length in bytes. */
  size: number;
  /** The client's address; undefined if the proxy itself is the client, as in health checks. */
  address: string | undefined;
  /** The name that the client gave in the TLS handshake, in lower case, if the header has it. */
  serverName?: string | undefined;
}

/** Parses a PROXY protocol header of version 1 or 2. Returns undefined if it is incomplete. Throws a ProtocolError. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const known = Math.min(bytes.length, signature.length);
  if (bytes.compare(signature, 0, known, 0, known) === 0)
    return bytes.length < fixedBytes ? undefined : parseBinary(bytes);
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, maxTextBytes));
  const start = "PROXY ";
  if (text.slice(0, start.length) !== start.slice(0, text.length)) throw invalid();
  const end = text.indexOf("\r\n");
  if (end === -1 && bytes.length < maxTextBytes) return undefined;
  return { size: end + 2, address: textAddress(text.slice(0, Math.max(0, end))) };
}

function textAddress(line: string): string | undefined {
  if (/^PROXY UNKNOWN(?: |$)/.test(line)) return undefined;
  const parts = /^PROXY TCP([46]) (\S+) (\S+) (\d{1,5}) (\d{1,5})$/.exec(line);
  if (!parts) throw invalid();
  const [, family, from, to, ...ports] = parts;
  const areAddresses = [from, to].every((address) => isIP(address!) === Number(family));
  if (!areAddresses || ports.some((port) => Number(port) > maxPort)) throw invalid();
  return plainAddress(from!.toLowerCase());
}

function parseBinary(bytes: Buffer): ProxyHeader | undefined {
  const command = bytes[12]!;
  const length = bytes.readUInt16BE(14);
  if (command >> 4 !== 2 || (command & 15) > 1 || length > maxBinaryBytes) throw invalid();
  const size = fixedBytes + length;
  if (bytes.length < size) return undefined;
  // LOCAL: the proxy's own connection.
  if ((command & 15) === 0) return { size, address: undefined };
  const rest = bytes.subarray(fixedBytes, size);
  const family = bytes[13]! >> 4;
  return { size, address: binaryAddress(family, rest), serverName: authorityIn(rest, addressBytes[family] ?? 0) };
}

/** The length of the addresses and ports by family. */
const addressBytes: Record<number, number> = { 1: 12, 2: 36 };
const authorityType = 2;

function authorityIn(bytes: Buffer, from: number): string | undefined {
  for (let at = from; at + 3 <= bytes.length; ) {
    const length = bytes.readUInt16BE(at + 1);
    if (bytes[at] === authorityType) return bytes.toString("utf8", at + 3, at + 3 + length).toLowerCase();
    at += 3 + length;
  }
  return undefined;
}

/** Returns a header of version 2 for a connection from the address. */
export function proxyHeader(address: string, serverName: string | undefined): Buffer {
  const family = isIP(address) === 6 ? 2 : isIP(address) === 4 ? 1 : 0;
  const addresses = Buffer.alloc(addressBytes[family] ?? 0);
  const parsed = new AddressBytes();
  if (parsed.parse(address)) addresses.set(parsed.bytes.subarray(0, parsed.length));
  const name = Buffer.from(serverName ?? "");
  const authority = Buffer.alloc(name.length === 0 ? 0 : 3 + name.length);
  if (name.length > 0) {
    authority[0] = authorityType;
    authority.writeUInt16BE(name.length, 1);
    authority.set(name, 3);
  }
  const head = Buffer.from([0x21, family === 0 ? 0 : (family << 4) | 1, 0, 0]);
  head.writeUInt16BE(addresses.length + authority.length, 2);
  return Buffer.concat([signature, head, addresses, authority]);
}

function binaryAddress(family: number, addresses: Buffer): string | undefined {
  if (family === 1 && addresses.length >= 12) return addresses.subarray(0, 4).join(".");
  if (family === 2 && addresses.length >= 36) {
    const groups = Array.from({ length: 8 }, (_, index) => addresses.readUInt16BE(index * 2).toString(16));
    const { hostname } = new URL(`http://[${groups.join(":")}]`);
    const isMapped = groups.slice(0, 5).every((group) => group === "0") && groups[5] === "ffff";
    return isMapped ? addresses.subarray(12, 16).join(".") : hostname.slice(1, -1);
  }
  if (family === 1 || family === 2) throw invalid();
  return undefined;
}

function invalid(): ProtocolError {
  return new ProtocolError("the connection does not begin with a valid PROXY protocol header");
}
