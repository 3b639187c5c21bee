import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import type { PortalSite } from "../portal/hosts/portal-hosts.ts";
import { isDocumentUrl } from "./client-documents.ts";
import { findClient, findDocumentClient } from "./client-store.ts";
import { type Client, isClientSecret } from "./clients.ts";
import { invalidRequest, OAuthRejected, parametersOf } from "./oauth-error.ts";

/**
 * Finds the client of a form (RFC 6749, 2.3): with its secret if it has one, else by its id alone. Throws
 * `invalid_client`.
 */
export async function clientOf(
  reads: Reads,
  site: PortalSite,
  request: HttpRequest,
  form: URLSearchParams,
  now: number,
): Promise<Client> {
  const { id, secret, usedBasic } = credentialOf(request, form);
  const client = isDocumentUrl(id)
    ? await findDocumentClient(reads, site.seq, id)
    : await findClient(reads, site.seq, id, now);
  const isKnown = client && (client.document_url ?? client.id) === id;
  // A client without a secret is only identified: its codes and tokens are the credential.
  if (isKnown && (client.secret_hash === null ? secret === undefined : isClientSecret(client, secret ?? "")))
    return client;
  throw new OAuthRejected("invalid_client", "The client is not known, or its secret is wrong.", { usedBasic });
}

interface ClientCredential {
  id: string;
  secret: string | undefined;
  usedBasic: boolean;
}

function credentialOf(request: HttpRequest, form: URLSearchParams): ClientCredential {
  const { one, needed } = parametersOf(form);
  if (one("client_assertion") !== undefined) throw new OAuthRejected("invalid_client", "Assertions are not supported.");
  const header = request.headers.get("authorization");
  if (header === null) return { id: needed("client_id"), secret: one("client_secret"), usedBasic: false };
  if (one("client_secret") !== undefined) throw invalidRequest("The client must authenticate in one way only.");
  const [, encoded] = /^basic ([A-Za-z0-9+/=]+)$/i.exec(header) ?? [];
  const [id, secret] = Buffer.from(encoded ?? "", "base64")
    .toString()
    .split(/:(.*)/s)
    .map(formDecoded);
  if (!id || secret === undefined)
    throw new OAuthRejected("invalid_client", "The Authorization header is not valid.", { usedBasic: true });
  const named = one("client_id");
  if (named !== undefined && named !== id) throw invalidRequest("`client_id` differs from the Authorization header.");
  return { id, secret, usedBasic: true };
}

/** Undefined if it cannot be decoded. */
function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
