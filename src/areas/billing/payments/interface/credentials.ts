import type { Keyring } from "../../../../lib/crypto/keyring.ts";

const sealPurpose = "payment-provider";

/** The credentials of a payment provider, which are stored encrypted and never returned. */
export interface ProviderCredentials {
  secretKey: string;
  webhookSecret: string;
}

export interface CredentialsInput {
  secretKey?: string | undefined;
  webhookSecret?: string | undefined;
}

export interface SealedCredentials {
  secret_key: Uint8Array | null;
  webhook_secret: Uint8Array | null;
}

/** Undefined if there are none. Throws a MissingKey if their encryption key is lost. */
export function openCredentials(keyring: Keyring, sealed: SealedCredentials): ProviderCredentials | undefined {
  const { secret_key, webhook_secret } = sealed;
  if (secret_key === null || webhook_secret === null) return undefined;
  return { secretKey: keyring.open(secret_key, sealPurpose), webhookSecret: keyring.open(webhook_secret, sealPurpose) };
}

export function sealCredential(keyring: Keyring, value: string): Uint8Array {
  return keyring.seal(value, sealPurpose);
}
