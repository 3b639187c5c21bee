/** An address or a network as bytes (4 of IPv4, 16 of IPv6) with the number of significant bits. */
export interface Network {
  readonly bytes: Uint8Array;
  readonly prefixLength: number;
}

/** A parsed address. It is created once and reused, because the hot path allocates nothing. */
export class AddressBytes {
  readonly bytes = new Uint8Array(16);
  /** 4, 16, or 0 if the text is not an address. */
  length = 0;
  #text = "";

  /**
   * Parses an address. IPv4 in IPv6 (`::ffff:192.0.2.1`, as dual-stack sockets write it) becomes IPv4, and a zone
   * (`%eth0`) is ignored.
   */
  parse(text: string): boolean {
    // Consecutive requests often come from the same client, and comparing takes a tenth of the time of parsing.
    if (text === this.#text) return this.length > 0;
    this.#text = text;
    const zone = text.indexOf("%");
    this.length = parseInto(text, zone === -1 ? text.length : zone, this.bytes);
    if (this.length === 16 && isMapped(this.bytes)) {
      this.bytes.copyWithin(0, 12, 16);
      this.length = 4;
    }
    return this.length > 0;
  }

  /** Whether the network whose address begins at `at` of `memory` contains this address. */
  isIn(memory: Uint8Array, at: number, length: number, prefixLength: number): boolean {
    if (length !== this.length) return false;
    const whole = prefixLength >> 3;
    for (let index = 0; index < whole; index++) if (memory[at + index] !== this.bytes[index]) return false;
    const rest = prefixLength & 7;
    if (rest === 0) return true;
    return (memory[at + whole]! ^ this.bytes[whole]!) >> (8 - rest) === 0;
  }
}

/** Parses a network. Returns a description of the error if the text is invalid. */
export function parseNetwork(text: string): Network | string {
  const slash = text.indexOf("/");
  const end = slash === -1 ? text.length : slash;
  const bytes = new Uint8Array(16);
  const length = parseInto(text, end, bytes);
  if (length === 0) return "must be an IPv4 or IPv6 address or CIDR, such as 192.0.2.1 or 2001:db8::/32";
  const bits = length * 8;
  const suffix = text.slice(end + 1);
  if (slash !== -1 && !/^(0|[1-9]\d{0,2})$/.test(suffix))
    return `must have a prefix length of 0 to ${bits} after the /`;
  const prefixLength = slash === -1 ? bits : Number(suffix);
  if (prefixLength > bits) return `must have a prefix length of 0 to ${bits} after the /`;
  if (length === 16 && isMapped(bytes) && prefixLength >= 96) {
    const plain = bytes.subarray(12).join(".");
    const as = slash === -1 ? plain : `${plain}/${prefixLength - 96}`;
    return `is an IPv4-mapped IPv6 address: write it as ${as}`;
  }
  if (hasHostBits(bytes, length, prefixLength)) return `has bits set after its prefix of ${prefixLength} bits`;
  return { bytes: bytes.slice(0, length), prefixLength };
}

const scratch = new AddressBytes();

export function isAddress(text: string): boolean {
  return scratch.parse(text);
}

/** The length of `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`, with some room for a zone. */
const maxTextLength = 64;

function isMapped(bytes: Uint8Array): boolean {
  for (let index = 0; index < 10; index++) if (bytes[index] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

function hasHostBits(bytes: Uint8Array, length: number, prefixLength: number): boolean {
  for (let bit = prefixLength; bit < length * 8; bit++) {
    if (((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1) === 1) return true;
  }
  return false;
}

/** Writes the address that ends before `end` and returns its length, or 0 if it is invalid. */
function parseInto(text: string, end: number, into: Uint8Array): number {
  if (end > maxTextLength) return 0;
  for (let at = 0; at < end; at++) if (text.charCodeAt(at) === colon) return parseSix(text, end, into);
  return parseFour(text, 0, end, into, 0) ? 4 : 0;
}

const colon = 0x3a;
const dot = 0x2e;

/** Four decimal numbers without leading zeros, which some parsers read as octal. */
function parseFour(text: string, from: number, end: number, into: Uint8Array, to: number): boolean {
  let parts = 0;
  let value = 0;
  let digits = 0;
  for (let at = from; at <= end; at++) {
    const code = at === end ? dot : text.charCodeAt(at);
    if (code === dot) {
      if (digits === 0 || parts === 4) return false;
      into[to + parts++] = value;
      value = 0;
      digits = 0;
      continue;
    }
    const digit = code - 0x30;
    if (digit < 0 || digit > 9 || (digits > 0 && value === 0)) return false;
    value = value * 10 + digit;
    digits += 1;
    if (value > 255) return false;
  }
  return parts === 4;
}

function parseSix(text: string, end: number, into: Uint8Array): number {
  let filled = 0;
  /** The position of `::` in bytes. */
  let gap = -1;
  let at = 0;
  if (text.charCodeAt(0) === colon) {
    if (end < 2 || text.charCodeAt(1) !== colon) return 0;
    gap = 0;
    at = 2;
  }
  while (at < end) {
    let value = 0;
    let digits = 0;
    const start = at;
    for (; at < end; at++) {
      const digit = hexDigit(text.charCodeAt(at));
      if (digit < 0) break;
      value = value * 16 + digit;
      digits += 1;
      if (digits > 4) return 0;
    }
    if (at < end && text.charCodeAt(at) === dot) {
      if (filled > 12 || !parseFour(text, start, end, into, filled)) return 0;
      filled += 4;
      at = end;
      break;
    }
    if (digits === 0 || filled > 14) return 0;
    into[filled++] = value >> 8;
    into[filled++] = value & 0xff;
    if (at === end) break;
    if (text.charCodeAt(at) !== colon) return 0;
    at += 1;
    if (at === end) return 0;
    if (text.charCodeAt(at) === colon) {
      if (gap !== -1) return 0;
      gap = filled;
      at += 1;
    }
  }
  if (gap === -1) return filled === 16 ? 16 : 0;
  if (filled > 14) return 0;
  into.copyWithin(16 - (filled - gap), gap, filled);
  into.fill(0, gap, 16 - (filled - gap));
  return 16;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
