import { type CryptoKey, importJWK, type JWK } from "jose";
import { canonicalJson } from "../../lib/text/canonical-json.ts";

/** A key that verifies signatures. The object stays the same as long as its provider publishes the key. */
export interface JwtKey {
  readonly kid: string | undefined;
  readonly jwk: JWK;
  /** Imports the key once for each algorithm. Rejects if the key cannot be used with it. */
  imported: Map<string, Promise<CryptoKey | Uint8Array>>;
}

const maxKeys = 200;

/**
 * Returns the keys of a JWKS that can verify signatures. Throws if the value is not a JWKS. Existing keys remain the
 * same objects.
 */
export function jwtKeys(jwks: unknown, before: readonly JwtKey[] = []): JwtKey[] {
  const list = (jwks as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(list)) throw new Error('a JWKS must have a list "keys"');
  const known = new Map(before.map((key) => [canonicalJson(key.jwk), key]));
  return list.slice(0, maxKeys).flatMap((jwk: JWK) => {
    if (typeof jwk !== "object" || jwk === null || typeof jwk.kty !== "string") return [];
    if (jwk.use !== undefined && jwk.use !== "sig") return [];
    if (Array.isArray(jwk.key_ops) && !jwk.key_ops.includes("verify")) return [];
    const same = known.get(canonicalJson(jwk));
    return same ?? { kid: typeof jwk.kid === "string" ? jwk.kid : undefined, jwk, imported: new Map() };
  });
}

const keyTypes: Record<string, string> = { RS: "RSA", PS: "RSA", ES: "EC", Ed: "OKP", HS: "oct" };

/**
 * Returns the keys that may have signed a token: those with its `kid`, if it has one, and with the type of its
 * algorithm.
 */
export function jwtKeyCandidates(keys: readonly JwtKey[], kid: string | undefined, algorithm: string) {
  return keys.filter(
    (key) =>
      (kid === undefined || key.kid === kid) &&
      key.jwk.kty === keyTypes[algorithm.slice(0, 2)] &&
      (key.jwk.alg === undefined || key.jwk.alg === algorithm),
  );
}

export function importJwtKey({ jwk, imported }: JwtKey, algorithm: string): Promise<CryptoKey | Uint8Array> {
  let key = imported.get(algorithm);
  if (!key) {
    key = importJWK(jwk, algorithm);
    key.catch(() => {});
    imported.set(algorithm, key);
  }
  return key;
}
