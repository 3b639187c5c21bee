import type { KeyVerifier } from "../../../areas/api-keys/keys/verification/verifier.ts";
import type { PolicyPlace } from "../../exchange/policy.ts";
import { ApiKeyPolicy } from "../api-key/api-key.ts";
import type { BasicAuthOptions } from "./schema.ts";

/** The policy `api-key` for clients that only support user names and passwords: the password is the key. */
export function basicAuthPolicy(verifier: KeyVerifier, { bucket }: BasicAuthOptions, place: PolicyPlace): ApiKeyPolicy {
  const options = { bucket, header: "authorization", scheme: "Basic", allowAnonymous: false, oauth: false };
  return new ApiKeyPolicy(verifier, options, place, passwordIn);
}

/** Returns undefined if the text is not base64 of `user:password` (RFC 7617). The user name is ignored. */
function passwordIn(credentials: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(credentials)) return undefined;
  const text = Buffer.from(credentials, "base64").toString();
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : text.slice(colon + 1);
}
