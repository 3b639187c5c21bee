import { type CryptoKey, importJWK, type JWK } from "jose";

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

/**
 * JSON with members sorted by name and no spaces, so that parsing and serializing a value again gives the same text
 * (RFC 8785 for what JSON.parse returns). Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  const ordered = sorted(value);
  return ordered === unsortable ? slowJson(value) : JSON.stringify(ordered);
}

/** JavaScript objects list integer-like names first, regardless of insertion order. */
const unsortable = Symbol("unsortable");

/**
 * Returns the value with sorted members for a single call of JSON.stringify: a call for each member takes five times as
 * long.
 */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    return items.includes(unsortable) ? unsortable : items;
  }
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) {
    const first = name.charCodeAt(0);
    if ((first >= 48 && first <= 57) || name === "__proto__") return unsortable;
    const member = sorted((value as Record<string, unknown>)[name]);
    if (member === unsortable) return unsortable;
    ordered[name] = member;
  }
  return ordered;
}

function slowJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(slowJson).join(",")}]`;
  let text = "";
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${slowJson(member)}`;
  }
  return `{${text}}`;
}
