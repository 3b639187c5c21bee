import { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { addressGroup } from "../../../lib/network/address-group.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type PortalSite, portalAccountOf } from "../portal/hosts/portal-hosts.ts";
import { countClients } from "./client-store.ts";
import { insertClient } from "./clients.ts";
import { OAuthRejected } from "./oauth-error.ts";
import { redirectHost, redirectUriError } from "./redirect-uris.ts";
import { clientName, maxRedirectUris } from "./schema.ts";

const hourMilliseconds = 60 * 60 * 1000;
/** Registrations within an hour, from one network and in all. */
const maxFromNetwork = 20;
const maxOfPortal = 200;
/** A client that no customer has authorized is deleted after this time. */
const unusedMilliseconds = 24 * hourMilliseconds;

const metadata = z.looseObject({
  redirect_uris: z.array(z.string()).min(1).max(maxRedirectUris),
  client_name: clientName.optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

/** Registers a client that describes itself (RFC 7591). Throws `OAuthRejected`. */
export async function registerClient(storage: Storage, site: PortalSite, act: Omit<Act, "account">, bytes: Uint8Array) {
  const { name, redirectUris } = clientIn(bytes);
  const by: Act = { ...act, account: portalAccountOf(site) };
  const from = addressGroup(act.ip ?? "");
  const client = await storage.write(async (transaction) => {
    await transaction.lock(`oauth registrations of ${site.id}`);
    const registeredSince = act.now - hourMilliseconds;
    const fromNetwork = await countClients(transaction, site.seq, { registeredSince, from });
    if (
      fromNetwork >= maxFromNetwork ||
      (await countClients(transaction, site.seq, { registeredSince })) >= maxOfPortal
    )
      throw new OAuthRejected("temporarily_unavailable", "Too many clients were registered. Register later.", {
        status: 429,
        retryAfterSeconds: hourMilliseconds / 1000,
      });
    const expiresOn = act.now + unusedMilliseconds;
    return insertClient(transaction, by, site, {
      type: "dynamic",
      name,
      redirectUris,
      registeredFrom: from,
      expiresOn,
    });
  });
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(act.now / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

function clientIn(bytes: Uint8Array) {
  const parsed = metadata.safeParse(parsedJson(bytes));
  if (!parsed.success) {
    const path = parsed.error.issues[0]!.path.join(".");
    const code = path.startsWith("redirect_uris") ? "invalid_redirect_uri" : "invalid_client_metadata";
    throw new OAuthRejected(code, path === "" ? "The body must be a JSON object." : `\`${path}\` is not valid.`);
  }
  const { redirect_uris: redirectUris, client_name, grant_types, response_types } = parsed.data;
  for (const uri of redirectUris) {
    const error = redirectUriError(uri);
    if (error !== undefined) throw new OAuthRejected("invalid_redirect_uri", `A redirect address ${error}.`);
  }
  if (grant_types && !grant_types.includes("authorization_code"))
    throw new OAuthRejected("invalid_client_metadata", "`grant_types` must contain authorization_code.");
  if (response_types && !response_types.includes("code"))
    throw new OAuthRejected("invalid_client_metadata", "`response_types` must contain code.");
  return { name: client_name ?? redirectHost(redirectUris[0]!).slice(0, 80), redirectUris };
}

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
