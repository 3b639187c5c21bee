import { hash } from "node:crypto";
import { randomBytes } from "./random.ts";

/**
 * `<prefix>_<32 hex, 128 random bits>_<8 hex CRC-32 of those 32 characters>`: a scanner can find one in a
 * text, and a typing mistake or a forgery is told without a look-up.
 */
export function generateSecret(prefix: string): string {
  const random = randomBytes(16).toString("hex");
  return `${prefix}_${random}_${checksum(random)}`;
}

const generatedShape = /^.+_([0-9a-f]{32})_([0-9a-f]{8})$/;

/** False only for a text that has the generated shape with another checksum. */
export function checksumHolds(text: string): boolean {
  // Cheaper than the pattern, and enough for most: the second underscore has its fixed place.
  if (text.length < 43 || text.charCodeAt(text.length - 9) !== 95) return true;
  const match = generatedShape.exec(text);
  return match === null || checksum(match[1]!) === match[2];
}

function checksum(random: string): string {
  return Bun.hash.crc32(random).toString(16).padStart(8, "0");
}

/** What is kept of a secret to recognise it by. */
export function secretHash(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** The same as text, for looking up in memory. */
export function secretHashText(text: string): string {
  return hash("sha256", text, "base64");
}

export function hashToText(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("base64");
}

export function hashFromText(text: string): Buffer {
  return Buffer.from(text, "base64");
}
