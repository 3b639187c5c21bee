import { createHmac } from "node:crypto";
import { randomBytes } from "../../lib/random.ts";

const secretPrefix = "whsec_";
const secretBytes = 32;

export function generateWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString("base64");
}

/**
 * The `webhook-signature` header of Standard Webhooks 1.0: one signature for each secret, so that a receiver can verify with
 * either while a secret is rotated.
 */
export function signatures(secrets: readonly string[], id: string, timestampSeconds: number, body: string): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  return secrets.map((secret) => `v1,${hmac(secret, content)}`).join(" ");
}

function hmac(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  return createHmac("sha256", key).update(content).digest("base64");
}
