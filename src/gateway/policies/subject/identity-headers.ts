import type { KeyIdentity } from "../../../areas/api-keys/keys/verification/known-keys.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";

/** The headers that name a consumer to targets, built once for each cached identity. */
const identityHeaders = new WeakMap<KeyIdentity, HttpHeaders>();

/** Half of the default header limit of common servers: other headers need space too. */
const maxMetadataLength = 4096;

export function headersOf(identity: KeyIdentity & { client?: string }): HttpHeaders {
  let headers = identityHeaders.get(identity);
  if (headers) return headers;
  headers = new HttpHeaders({
    "x-consumer-name": identity.user.sub,
    "x-consumer-id": identity.consumerId,
    "x-consumer-key-id": identity.keyId,
  });
  const { metadataText, client } = identity;
  if (metadataText !== undefined && metadataText.length <= maxMetadataLength)
    headers.set("x-consumer-metadata", metadataText);
  if (client !== undefined) headers.set("x-consumer-client", encodeURIComponent(client));
  identityHeaders.set(identity, headers);
  return headers;
}
