import { timingSafeEqual } from "node:crypto";
import { invalid } from "../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import { secretHash } from "../../../../lib/crypto/secret-text.ts";
import type { PortalInput } from "../schema.ts";
import { settingsOf } from "./present.ts";

const purpose = "portal-client-secret";

/** A portal that may have an identity provider. */
interface SecretRow {
  settings: string;
  client_secret: Uint8Array | null;
}

/**
 * The encrypted secret to store. An omitted secret is kept unless issuer or client changes: otherwise a caller could
 * send a secret that they do not know to a server of their own.
 */
export function sealedSecret(
  keyring: Keyring,
  before: SecretRow | undefined,
  oidc: PortalInput["oidc"],
): Uint8Array | null {
  if (!oidc) return null;
  if (oidc.clientSecret !== undefined)
    return before && isClientSecret(keyring, before, oidc.clientSecret)
      ? before.client_secret
      : keyring.seal(oidc.clientSecret, purpose);
  const known = before && settingsOf(before).oidc;
  if (before?.client_secret && known?.issuer === oidc.issuer && known.clientId === oidc.clientId)
    return before.client_secret;
  throw invalid("/oidc/clientSecret", "is required for a new issuer or client");
}

export function openSecret(keyring: Keyring, { client_secret }: SecretRow): string | undefined {
  return client_secret === null ? undefined : keyring.open(client_secret, purpose);
}

function isClientSecret(keyring: Keyring, secret: SecretRow, value: string): boolean {
  const stored = openSecret(keyring, secret);
  return stored !== undefined && timingSafeEqual(secretHash(stored), secretHash(value));
}
