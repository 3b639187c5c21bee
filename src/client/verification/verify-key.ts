import type { RequestOptions } from "../transport/options.ts";
import type { KeyVerification } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The use of a key that is to be verified. */
export interface KeyUsage {
  /** The client address of the request; required for keys with `allowedIps`. */
  ip?: string | undefined;
  /** The permission that the key must have. */
  permission?: string | undefined;
}

export function verifyKey(
  transport: Transport,
  bucketName: string,
  key: string,
  { ip, permission, ...options }: KeyUsage & RequestOptions,
): Promise<KeyVerification> {
  const body = { key, ...(ip !== undefined && { ip }), ...(permission !== undefined && { permission }) };
  return transport.call("verifyKey", { params: { bucketName }, body, isRepeatable: true, options });
}
