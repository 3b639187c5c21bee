import { hash } from "node:crypto";
import { randomBytes } from "./random.ts";

/**
 * The format is `<prefix>_<32 hex, 128 random bits>_<8 hex CRC-32 of those 32 characters>`. Secret scanners recognize
 * it, and the checksum detects typos without a look-up.
 */
export function generateSecret(prefix: string): string {
  const random = randomBytes(16).toString("hex");
  return `${prefix}_${random}_${checksum(random)}`;
}

const generatedShape = /^.+_([0-9a-f]{32})_([0-9a-f]{8})$/;

/** Returns false only for a text in the generated format with a wrong checksum. */
export function checksumHolds(text: string): boolean {
  // A cheap check first: the second underscore has a fixed position.
  if (text.length < 43 || text.charCodeAt(text.length - 9) !== 95) return true;
  const match = generatedShape.exec(text);
  return match === null || checksum(match[1]!) === match[2];
}

function checksum(random: string): string {
  return Bun.hash.crc32(random).toString(16).padStart(8, "0");
}

/** Returns the hash of a secret, which is stored instead of the secret. */
export function secretHash(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** Returns the same hash as base64, for look-ups in memory. */
export function secretHashText(text: string): string {
  return hash("sha256", text, "base64");
}

export function hashToText(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("base64");
}

export function hashFromText(text: string): Buffer {
  return Buffer.from(text, "base64");
}
