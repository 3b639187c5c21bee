import { argument, listOption, named, option } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { bucketOption } from "../options/key-bucket-options.ts";
import { UsageError } from "../process/usage-error.ts";

const oauthClient = resource({
  one: "an OAuth client",
  id: { id: argument("the client's id") },
  options: bucketOption,
  sample: "oac_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client, { bucket }) => client.portal(bucket),
});

export const clients = group({
  name: "clients",
  summary: "OAuth clients: programs that customers can authorize",
  commands: {
    list: oauthClient.listOf({
      summary: "List the OAuth clients of a portal",
      columns: ["id", "type", "name", "clientId", "consumerName", "createdOn"],
      examples: "Also those of customers, and those that registered themselves.",
      read: (portal, query) => portal.oauthClients(query),
    }),
    create: oauthClient.command({
      summary: "Create an OAuth client: a program that every customer may authorize",
      details: "Redirect addresses use https, or http with 127.0.0.1, [::1] or localhost, whose port may then be any.",
      arguments: { name: argument("the name of the program, which customers see") },
      options: {
        redirectUri: listOption("where the browser returns to; all of them", named("URL")),
      },
      examples: {
        'tollgate clients create "Weather CLI" --redirect-uri http://127.0.0.1/callback':
          "A command line, which listens on any port of this machine.",
      },
      call: (api, { name, redirectUri: redirectUris }) => {
        if (!redirectUris) throw new UsageError("An OAuth client needs a redirect address.", "Add --redirect-uri URL.");
        return api.createOAuthClient({ name, redirectUris });
      },
    }),
    show: oauthClient.action({
      summary: "Show an OAuth client",
      examples: "With its redirect addresses.",
      call: (portal, id) => portal.oauthClient(id),
    }),
    update: oauthClient.action({
      summary: "Change the name or the redirect addresses of an OAuth client",
      options: {
        name: option("the name of the program, which customers see"),
        redirectUri: listOption("where the browser returns to; all of them", named("URL")),
      },
      examples: {
        "tollgate clients update oac_0QGzNqW81Kx8VhTb3mPcRdZu --redirect-uri https://app.example.com/callback":
          "Replaces the redirect addresses.",
      },
      call: (api, id, { name, redirectUri: redirectUris }) => api.updateOAuthClient(id, { name, redirectUris }),
    }),
    delete: oauthClient.delete({
      summary: "Delete an OAuth client: its authorizations end immediately",
      effect: "whose authorizations end immediately",
      examples: "Asks first.",
      call: (portal, id) => portal.deleteOAuthClient(id),
    }),
  },
});

const authorization = resource({
  one: "an authorization",
  id: { id: argument("the authorization's id") },
  options: bucketOption,
  sample: "auth_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client, { bucket }) => client.portal(bucket),
});

export const authorizations = group({
  name: "authorizations",
  summary: "What customers have authorized programs to do",
  aliases: { end: "delete" },
  commands: {
    list: authorization.listOf({
      summary: "List what customers have authorized programs to do",
      options: {
        consumer: option("only those of this consumer", named("NAME")),
        client: option("only those of this OAuth client", named("ID")),
      },
      columns: ["id", "consumer", "client", "permissions", "subject", "createdOn", "expiresOn"],
      examples: { "tollgate authorizations list --consumer acme": "The programs of a customer." },
      query: ({ consumer, client }) => ({ consumerName: consumer, clientId: client }),
      read: (portal, query) => portal.authorizations(query),
    }),
    show: authorization.action({
      summary: "Show an authorization",
      examples: "Who consented, and to what.",
      call: (portal, id) => portal.authorization(id),
    }),
    delete: authorization.delete({
      summary: "Delete an authorization: requests with its tokens fail immediately",
      effect: "whose tokens stop working immediately",
      examples: "Asks first.",
      call: (portal, id) => portal.endAuthorization(id),
    }),
  },
});
