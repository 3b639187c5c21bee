import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(16 * 4096);
let poolAt = pool.length;

/** A key as the server generates it: prefix, 128 random bits, and the CRC-32 of their 32 characters. */
export function generateKey(prefix: string): string {
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const random = pool.toString("hex", poolAt, poolAt + 16);
  poolAt += 16;
  return `${prefix}_${random}_${Bun.hash.crc32(random).toString(16).padStart(8, "0")}`;
}
