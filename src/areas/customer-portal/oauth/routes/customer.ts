import { list, remove, write } from "../../../../api/endpoint.ts";
import { presentPage } from "../../../../api/presented.ts";
import { notFound } from "../../../../core/problems/problem.ts";
import type { Keys } from "../../../api-keys/keys/keys.ts";
import { type CustomerServices, customerEntrance } from "../../portal/customer/customer.ts";
import { rulesOfNewKey } from "../../portal/customer/customer-keys.ts";
import {
  createAuthorization,
  endAuthorization,
  findAuthorizationForUpdate,
  listAuthorizations,
} from "../authorizations.ts";
import { createOwnClient, deleteClient, findClientForUpdate, listClients } from "../clients.ts";
import { consenterOf } from "../consents.ts";
import { enabledOAuth } from "../enabled.ts";
import { presentAuthorization, presentClient } from "../present.ts";
import { portalAuthorization, portalClient, portalClientInput } from "../schema.ts";

const authorizationsPath = "/portal/api/authorizations";
const clientsPath = "/portal/api/oauth-clients";

interface CustomerOAuthServices extends CustomerServices {
  keys: Keys;
}

/** What a customer has authorized, and the clients that they created. */
export function customerOAuthRoutes({ keys, ...services }: CustomerOAuthServices) {
  const { enter, lock } = customerEntrance(services);
  return [
    list({
      operationId: "listPortalAuthorizations",
      path: authorizationsPath,
      summary: "List the programs that the customer has authorized",
      access: "customer",
      item: portalAuthorization,
      listName: "PortalAuthorizationList",
      handle: async (input) => {
        const { consumer, site } = await enter(input, "keys:read");
        const filter = { portalSeq: site.seq, consumerSeq: consumer.seq, now: input.act.now };
        return presentPage(await listAuthorizations(input.reads, filter, input.query), presentAuthorization);
      },
    }),
    remove({
      operationId: "endPortalAuthorization",
      path: `${authorizationsPath}/{authorizationId}`,
      summary: "End the authorization of a program",
      description: "Its requests fail immediately.",
      access: "customer",
      hasNoETag: true,
      handle: async (input, transaction) => {
        const { consumer, site } = await lock(transaction, input, "keys:write");
        const found = await findAuthorizationForUpdate(transaction, site, input.params.authorizationId, input.act.now);
        if (found.consumer_seq !== consumer.seq) throw notFound("authorization");
        await endAuthorization(transaction, input.act, found);
      },
    }),
    list({
      operationId: "listPortalOAuthClients",
      path: clientsPath,
      summary: "List the clients that the customer created",
      access: "customer",
      item: portalClient,
      listName: "PortalOAuthClientList",
      handle: async (input) => {
        const { consumer, site } = await enter(input, "keys:read");
        const filter = { portalSeq: site.seq, consumerSeq: consumer.seq, now: input.act.now };
        return presentPage(await listClients(input.reads, filter, input.query), presentClient);
      },
    }),
    write({
      operationId: "createPortalOAuthClient",
      method: "POST",
      path: clientsPath,
      summary: "Create a client",
      description:
        "With `redirectUris` for a program that signs the customer in, else with a secret for one that runs without a person. " +
        "The secret is shown once. Its authorization ends with the manager who created it.",
      access: "customer",
      hasNoETag: true,
      body: portalClientInput,
      response: portalClient,
      problems: ["oauth_client_limit_reached", "authorization_limit_reached"],
      handle: async (input, transaction) => {
        enabledOAuth(await services.hosts.siteOf(input.request));
        const { consumer, managerId, site } = await lock(transaction, input, "keys:write");
        const { client, secret } = await createOwnClient(transaction, input.act, site, consumer, input.body);
        if (secret === undefined) return { body: presentClient(client) };
        const rules = await rulesOfNewKey(transaction, keys, consumer, input.act.now);
        await createAuthorization(transaction, input.act, site, {
          client,
          consumer,
          managerSeq: await consenterOf(transaction, consumer, managerId),
          subject: input.act.actorName ?? input.act.actor,
          granted: rules.permissions ?? [],
          rules,
        });
        return { body: { ...presentClient(client), clientSecret: secret } };
      },
    }),
    remove({
      operationId: "deletePortalOAuthClient",
      path: `${clientsPath}/{oauthClientId}`,
      summary: "Delete a client",
      description: "Its authorizations end immediately.",
      access: "customer",
      hasNoETag: true,
      handle: async (input, transaction) => {
        const { consumer, site } = await lock(transaction, input, "keys:write");
        const client = await findClientForUpdate(transaction, site, input.params.oauthClientId, input.act.now);
        if (client.consumer_seq !== consumer.seq) throw notFound("client");
        await deleteClient(transaction, input.act, site, client, input.precondition);
      },
    }),
  ];
}
