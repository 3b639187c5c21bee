import type { z } from "zod";
import { type AreaContext, areaOf } from "../../../../api/area.ts";
import { list, read, write } from "../../../../api/endpoint.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import type { ConsumerFinder } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import { findPortal } from "../../portal/settings/portals.ts";
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

const portalPath = "/v1/accounts/{accountName}/key-buckets/{bucketName}/portal";
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
    list({
      operationId: "listOAuthClients",
      path: clientsPath,
      summary: "List the OAuth clients of a portal",
      access: "read",
      item: client,
      listName: "OAuthClientList",
      handle: async ({ reads, account, params, query, act }) => {
        const { portal } = await findPortal(reads, account.seq, params.bucketName);
        const { data, total } = await listClients(reads, { portalSeq: portal.seq, now: act.now }, query);
        return { data: data.map(presentClient), total };
      },
    }),
    write({
      operationId: "createOAuthClient",
      method: "POST",
      path: clientsPath,
      summary: "Create an OAuth client",
      description: "For a program that every customer may authorize. It has no secret: PKCE protects its codes.",
      access: "edit",
      body: clientInput,
      response: client,
      handle: async ({ account, act, params, body }, transaction) => {
        const { portal } = await findPortal(transaction, account.seq, params.bucketName);
        const created = await createClient(transaction, act, portal, body);
        return { body: presentClient(created), revision: created };
      },
    }),
    read({
      operationId: "getOAuthClient",
      path: clientPath,
      summary: "Read an OAuth client",
      access: "read",
      response: client,
      handle: async ({ reads, account, act, params }) => {
        const { portal } = await findPortal(reads, account.seq, params.bucketName);
        const found = await findClient(reads, portal, params.oauthClientId, act.now);
        return { body: presentClient(found), revision: found };
      },
    }),
    write({
      operationId: "updateOAuthClient",
      method: "PATCH",
      path: clientPath,
      summary: "Change the name or the redirect addresses of an OAuth client",
      description: "Only of a client with the type `registered`.",
      access: "edit",
      body: clientPatch,
      response: client,
      problems: ["oauth_client_fixed"],
      handle: async ({ account, act, params, body, precondition }, transaction) => {
        const { portal } = await findPortal(transaction, account.seq, params.bucketName);
        const found = await findClientForUpdate(transaction, portal, params.oauthClientId, act.now);
        precondition(found);
        if (found.type !== "registered") throw new Problem("oauth_client_fixed");
        const updated = await updateClient(transaction, act, portal, found, body);
        return { body: presentClient(updated), revision: updated };
      },
    }),
    write({
      operationId: "deleteOAuthClient",
      method: "DELETE",
      path: clientPath,
      summary: "Delete an OAuth client",
      description: "Its authorizations end immediately.",
      access: "edit",
      handle: async ({ account, act, params, precondition }, transaction) => {
        const { portal } = await findPortal(transaction, account.seq, params.bucketName);
        const found = await findClientForUpdate(transaction, portal, params.oauthClientId, act.now);
        await deleteClient(transaction, act, portal, found, precondition);
        return {};
      },
    }),
    list({
      operationId: "listAuthorizations",
      path: authorizationsPath,
      summary: "List what customers have authorized",
      description: "The newest first. Those that have ended are not listed.",
      access: "read",
      query: authorizationQuery,
      item: authorization,
      listName: "AuthorizationList",
      handle: async ({ reads, account, params, query, act }) => {
        const { bucketName } = params;
        const { portal } = await findPortal(reads, account.seq, bucketName);
        const { consumerName, clientId } = query;
        const address = { accountSeq: account.seq, bucketName, consumerName: consumerName ?? "", tags: [] };
        const holder = consumerName === undefined ? undefined : await consumers.find(reads, address);
        const by = clientId === undefined ? undefined : await findClient(reads, portal, clientId, act.now);
        const filter = { portalSeq: portal.seq, consumerSeq: holder?.consumer.seq, clientSeq: by?.seq, now: act.now };
        const { data, total } = await listAuthorizations(reads, filter, query);
        return { data: data.map(presentAuthorization), total };
      },
    }),
    read({
      operationId: "getAuthorization",
      path: `${authorizationsPath}/{authorizationId}`,
      summary: "Read an authorization",
      access: "read",
      response: authorization,
      handle: async ({ reads, account, act, params }) => {
        const { portal } = await findPortal(reads, account.seq, params.bucketName);
        const found = await findAuthorization(reads, portal, params.authorizationId, act.now);
        return { body: presentAuthorization(found), revision: revisionOf(found), composed: true };
      },
    }),
    write({
      operationId: "endAuthorization",
      method: "DELETE",
      path: `${authorizationsPath}/{authorizationId}`,
      summary: "End an authorization",
      description: "Requests with its tokens fail immediately.",
      access: "edit",
      handle: async ({ account, act, params, precondition }, transaction) => {
        const { portal } = await findPortal(transaction, account.seq, params.bucketName);
        const found = await findAuthorizationForUpdate(transaction, portal, params.authorizationId, act.now);
        precondition(revisionOf(found));
        await endAuthorization(transaction, act, found);
        return {};
      },
    }),
    write({
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
      handle: async ({ account, act, params, body }, transaction, created) => {
        const { portal } = await findPortal(transaction, account.seq, params.bucketName);
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
