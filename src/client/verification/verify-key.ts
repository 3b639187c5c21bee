import type { CreateOptions } from "../transport/options.ts";
import type { KeyVerification, VerifyKey } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The use of a key that is to be verified. */
export interface KeyUsage {
  /** The client address of the request; required for keys with `allowedIps`. */
  ip?: string | undefined;
  /** The permission that the key must have. */
  permission?: string | undefined;
  /** Takes the amounts from the plan of the key's consumer. A lost response is not repeated without an `idempotencyKey`. */
  consume?: VerifyKey["consume"];
  /** Holds amounts that are known later, until they are settled or released. */
  hold?: VerifyKey["hold"];
  /** Reports a missing permission, a used up rate limit and a quota that does not suffice, instead of rejecting. */
  observe?: boolean | undefined;
}

export function verifyKey(
  transport: Transport,
  bucketName: string,
  key: string,
  { ip, permission, consume, hold, observe, ...options }: KeyUsage & CreateOptions,
): Promise<KeyVerification> {
  const body = { key, ...(ip !== undefined && { ip }), ...(permission !== undefined && { permission }) };
  const taking = { ...body, ...(consume && { consume }), ...(hold && { hold }), ...(observe && { observe }) };
  const call = { params: { bucketName }, body: taking, options };
  // With a key the server takes in a transaction: slower than from memory, so `consume` has one only if the caller wants it.
  if (hold || (consume && options.idempotencyKey !== undefined)) return transport.call("verifyKey", call);
  return transport.call("verifyKey", { ...call, isRepeatable: true, countsAgain: consume !== undefined });
}
