export const asymmetricAlgorithms = [
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
export const symmetricAlgorithms = ["HS256", "HS384", "HS512"] as const;

export type TokenAlgorithm = (typeof asymmetricAlgorithms)[number] | (typeof symmetricAlgorithms)[number];
