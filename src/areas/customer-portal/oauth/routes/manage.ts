import type { z } from "zod";
import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { presentPage } from "../../../../api/presented.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { ConsumerFinder } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import { inPortal, portalPath } from "../../portal/settings/in-portal.ts";
import {
  endAuthorization,
  findAuthorization,
  findAuthorizationForUpdate,
  listAuthorizations,
  removeExpiredAuthorizations,
  revisionOf,
} from "../authorizations.ts";
import { createClient, deleteClient, findClient, findClientForUpdate, listClients, updateClient } from "../clients.ts";
import { presentAuthorization, presentClient } from "../present.ts";
import {
  authorization,
  authorizationQuery,
  client,
  clientInput,
  clientPatch,
  keySet,
  rotationInput,
} from "../schema.ts";
import { newKey, type SigningKeys } from "../signing-keys.ts";

const clientsPath = `${portalPath}/oauth-clients` as const;
const clientPath = `${clientsPath}/{oauthClientId}` as const;
const authorizationsPath = `${portalPath}/authorizations` as const;

interface OAuthServices {
  consumers: ConsumerFinder;
  signingKeys: SigningKeys;
}

/** The clients and authorizations of a portal, for operators. */
export function oauthArea({ storage, clock }: AreaContext, { consumers, signingKeys }: OAuthServices) {
  const operations = [
    inPortal.list({
      operationId: "listOAuthClients",
      path: clientsPath,
      summary: "List the OAuth clients of a portal",
      access: "read",
      item: client,
      listName: "OAuthClientList",
      handle: async ({ reads, act, portal, query }) =>
        presentPage(await listClients(reads, { portalSeq: portal.seq, now: act.now }, query), presentClient),
    }),
    inPortal.write({
      operationId: "createOAuthClient",
      method: "POST",
      path: clientsPath,
      summary: "Create an OAuth client",
      description: "For a program that every customer may authorize. It has no secret: PKCE protects its codes.",
      access: "edit",
      body: clientInput,
      response: client,
      handle: async ({ act, portal, body }, transaction) => {
        const created = await createClient(transaction, act, portal, body);
        return { body: presentClient(created), revision: created };
      },
    }),
    inPortal.read({
      operationId: "getOAuthClient",
      path: clientPath,
      summary: "Read an OAuth client",
      access: "read",
      response: client,
      handle: async ({ reads, act, portal, params }) => {
        const found = await findClient(reads, portal, params.oauthClientId, act.now);
        return { body: presentClient(found), revision: found };
      },
    }),
    inPortal.write({
      operationId: "updateOAuthClient",
      method: "PATCH",
      path: clientPath,
      summary: "Change the name or the redirect addresses of an OAuth client",
      description: "Only of a client with the type `registered`.",
      access: "edit",
      body: clientPatch,
      response: client,
      problems: ["oauth_client_fixed"],
      handle: async ({ act, portal, params, body, precondition }, transaction) => {
        const found = await findClientForUpdate(transaction, portal, params.oauthClientId, act.now);
        precondition(found);
        if (found.type !== "registered") throw new Problem("oauth_client_fixed");
        const updated = await updateClient(transaction, act, portal, found, body);
        return { body: presentClient(updated), revision: updated };
      },
    }),
    inPortal.remove({
      operationId: "deleteOAuthClient",
      path: clientPath,
      summary: "Delete an OAuth client",
      description: "Its authorizations end immediately.",
      access: "edit",
      handle: async ({ act, portal, params, precondition }, transaction) => {
        const found = await findClientForUpdate(transaction, portal, params.oauthClientId, act.now);
        await deleteClient(transaction, act, portal, found, precondition);
      },
    }),
    inPortal.list({
      operationId: "listAuthorizations",
      path: authorizationsPath,
      summary: "List what customers have authorized",
      description: "The newest first. Those that have ended are not listed.",
      access: "read",
      query: authorizationQuery,
      item: authorization,
      listName: "AuthorizationList",
      handle: async ({ reads, account, act, portal, params, query }) => {
        const { consumerName, clientId } = query;
        const { bucketName } = params;
        const address = { accountSeq: account.seq, bucketName, consumerName: consumerName ?? "", tags: [] };
        const holder = consumerName === undefined ? undefined : await consumers.find(reads, address);
        const by = clientId === undefined ? undefined : await findClient(reads, portal, clientId, act.now);
        const filter = { portalSeq: portal.seq, consumerSeq: holder?.consumer.seq, clientSeq: by?.seq, now: act.now };
        return presentPage(await listAuthorizations(reads, filter, query), presentAuthorization);
      },
    }),
    inPortal.read({
      operationId: "getAuthorization",
      path: `${authorizationsPath}/{authorizationId}`,
      summary: "Read an authorization",
      access: "read",
      response: authorization,
      handle: async ({ reads, act, portal, params }) => {
        const found = await findAuthorization(reads, portal, params.authorizationId, act.now);
        return { body: presentAuthorization(found), revision: revisionOf(found), composed: true };
      },
    }),
    inPortal.remove({
      operationId: "endAuthorization",
      path: `${authorizationsPath}/{authorizationId}`,
      summary: "End an authorization",
      description: "Requests with its tokens fail immediately.",
      access: "edit",
      handle: async ({ act, portal, params, precondition }, transaction) => {
        const found = await findAuthorizationForUpdate(transaction, portal, params.authorizationId, act.now);
        precondition(revisionOf(found));
        await endAuthorization(transaction, act, found);
      },
    }),
    inPortal.write({
      operationId: "rotateOAuthKey",
      method: "POST",
      path: `${portalPath}/oauth-keys/$rotate`,
      summary: "Sign access tokens with a new key",
      description: "Returns the public keys. Keys are also rotated every 90 days.",
      access: "edit",
      hasNoETag: true,
      body: rotationInput.prefault({}),
      response: keySet,
      examples: { request: { revokesTokens: false } },
      before: () => newKey(),
      handle: async ({ act, portal, body }, transaction, created) => {
        await signingKeys.rotate(transaction, act, portal, { created, ...body });
        const keys = await signingKeys.published(transaction, portal, act.now);
        return { body: { keys: keys as z.output<typeof keySet>["keys"] } };
      },
    }),
  ];
  return areaOf({ OAuth: "What customers have authorized programs to do, and the clients of a portal." }, operations, {
    removals: [(signal) => removeExpiredAuthorizations(storage, clock.now(), signal)],
  });
}
