import { formatDateTime } from "../../../lib/time/time.ts";
import type { ClientRow } from "./client-store.ts";
import { redirectHost } from "./redirect-uris.ts";
import type { AuthorizationRules } from "./rules.ts";
import type { ClientType } from "./schema.ts";
import type { AuthorizationRow } from "./store.ts";

export function presentClient(row: ClientRow) {
  return {
    id: row.id,
    clientId: row.document_url ?? row.id,
    type: row.type as ClientType,
    name: row.name,
    redirectUris: redirectUrisOf(row),
    ...(row.consumer_name === null ? {} : { consumerName: row.consumer_name }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

export function redirectUrisOf({ redirect_uris }: Pick<ClientRow, "redirect_uris">): string[] {
  return JSON.parse(redirect_uris) as string[];
}

/** The host that a customer sees: of the document, or of the redirect. */
export function hostOf(documentUrl: string | null, redirectUri: string): string {
  return documentUrl === null ? redirectHost(redirectUri) : new URL(documentUrl).host;
}

export function presentAuthorization(row: AuthorizationRow) {
  const { permissions = [] } = JSON.parse(row.rules) as AuthorizationRules;
  return {
    id: row.id,
    client: {
      id: row.client_id,
      clientId: row.client_document_url ?? row.client_id,
      name: row.client_name,
      type: row.client_type as ClientType,
      ...(row.redirect_uri === null ? {} : { host: hostOf(row.client_document_url, row.redirect_uri) }),
    },
    consumer: { id: row.consumer_id, name: row.consumer_name },
    subject: row.subject,
    permissions,
    ...(row.deployment === null ? {} : { deployment: row.deployment }),
    createdOn: formatDateTime(row.created_on),
    ...(row.refreshed_on === null ? {} : { refreshedOn: formatDateTime(row.refreshed_on) }),
    expiresOn: row.expires_on === null ? null : formatDateTime(row.expires_on),
  };
}
