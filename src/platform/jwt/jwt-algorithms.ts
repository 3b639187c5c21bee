export const asymmetricJwtAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** Only for keys in the configuration, because a shared secret must not be published. */
export const symmetricJwtAlgorithms = ["HS256", "HS384", "HS512"] as const;

export type JwtAlgorithm = (typeof asymmetricJwtAlgorithms)[number] | (typeof symmetricJwtAlgorithms)[number];
