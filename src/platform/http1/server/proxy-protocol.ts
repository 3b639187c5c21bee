import { isIP } from "node:net";
import { ProtocolError } from "../message/protocol-error.ts";
import { plainAddress } from "./trusted-proxies.ts";

/** The signature of version 2 (https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt). */
const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const maxTextBytes = 107;
const maxPort = 65_535;
const fixedBytes = 16;
/** The longest accepted addresses and extensions. Real ones are much shorter. */
const maxBinaryBytes = 4096;

export interface ProxyHeader {
  /** The length in bytes. */
  size: number;
  /** The client's address; undefined if the proxy itself is the client, as in health checks. */
  address: string | undefined;
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
  return { size, address: binaryAddress(bytes[13]! >> 4, bytes.subarray(fixedBytes, size)) };
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
