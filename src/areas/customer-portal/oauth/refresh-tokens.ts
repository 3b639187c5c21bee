import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Keyring } from "../../../lib/crypto/keyring.ts";

const purpose = "oauth-refresh";
const shape = /^tgrt_([0-9A-Za-z]{24})_([0-9]{1,9})_([0-9a-f]{64})$/;

/** The parts of a refresh token. */
interface RefreshToken {
  authorizationId: string;
  number: number;
  mac: Buffer;
}

/**
 * Refresh tokens are MACs of their numbers, with a secret of their authorization: each old one is recognized without a
 * row of its own, and the id of an authorization does not suffice to forge one, which would end the authorization.
 */
export function newRefreshSecret(keyring: Keyring): Buffer {
  return keyring.seal(randomBytes(32).toString("base64"), purpose);
}

export function refreshToken(keyring: Keyring, { id, secret }: { id: string; secret: Uint8Array }, number: number) {
  const short = id.slice("auth_".length);
  return `tgrt_${short}_${number}_${macOf(keyring, secret, id, number).toString("hex")}`;
}

/** Undefined if it is not in the format of a refresh token. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const match = shape.exec(text);
  if (!match) return undefined;
  return { authorizationId: `auth_${match[1]}`, number: Number(match[2]), mac: Buffer.from(match[3]!, "hex") };
}

export function isGenuine(keyring: Keyring, secret: Uint8Array, { authorizationId, number, mac }: RefreshToken) {
  return timingSafeEqual(macOf(keyring, secret, authorizationId, number), mac);
}

function macOf(keyring: Keyring, secret: Uint8Array, id: string, number: number): Buffer {
  return createHmac("sha256", Buffer.from(keyring.open(secret, purpose), "base64"))
    .update(`${id} ${number}`)
    .digest();
}
