import { createHmac, timingSafeEqual } from "node:crypto";
import { randomBytes } from "./random.ts";

/** Signatures of Standard Webhooks 1.0. */

const secretPrefix = "whsec_";
const secretBytes = 32;
/** The tolerated difference between the clocks of sender and receiver. */
const toleranceSeconds = 5 * 60;

export function generateWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString("base64");
}

/** Whether the text is a valid secret: 24 to 64 bytes in base64, with or without the prefix. */
export function isWebhookSecret(text: string): boolean {
  return /^(whsec_)?[A-Za-z0-9+/]{32,86}={0,2}$/.test(text);
}

/**
 * Returns the `webhook-signature` header. It has one signature for each secret, so that a receiver can verify with
 * either during a rotation.
 */
export function signatures(secrets: readonly string[], id: string, timestampSeconds: number, body: string): string {
  return secrets.map((secret) => signature(secret, `${id}.${timestampSeconds}.${body}`)).join(" ");
}

interface SignedRequest {
  id: string | null;
  timestamp: string | null;
  signature: string | null;
  body: string;
}

/** Verifies a signed request. Returns undefined if the signature is valid, else a description of the error. */
export function verificationError(secret: string, request: SignedRequest, nowSeconds: number): string | undefined {
  const { id, timestamp, signature: given, body } = request;
  if (!id || !timestamp || !given) return "a webhook-id, webhook-timestamp or webhook-signature header is missing";
  if (!/^\d{1,15}$/.test(timestamp)) return "webhook-timestamp is not a number of seconds";
  const expected = Buffer.from(signature(secret, `${id}.${timestamp}.${body}`));
  const isSigned = given.split(" ").some((each) => {
    const bytes = Buffer.from(each);
    return bytes.length === expected.length && timingSafeEqual(bytes, expected);
  });
  if (!isSigned) return "no signature matches the secret";
  if (Math.abs(nowSeconds - Number(timestamp)) > toleranceSeconds)
    return "webhook-timestamp is more than 5 minutes off";
  return undefined;
}

function signature(secret: string, content: string): string {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  return `v1,${createHmac("sha256", Buffer.from(encoded, "base64")).update(content).digest("base64")}`;
}
