import { argument, listOption, named, option } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { bucketOption } from "../options/key-bucket-options.ts";
import { UsageError } from "../process/usage-error.ts";

export const clients = group({
  name: "clients",
  summary: "OAuth clients: programs that customers can authorize",
  commands: {
    list: listCommand({
      summary: "List the OAuth clients of a portal",
      options: { ...bucketOption },
      examples: { "tollgate clients list": "Also those of customers, and those that registered themselves." },
      things: "OAuth clients",
      columns: ["id", "type", "name", "clientId", "consumerName", "createdOn"],
      list: (client, { bucket, limit, offset }) => client.portal(bucket).oauthClients({ limit, offset }),
    }),
    create: remoteCommand({
      summary: "Create an OAuth client: a program that every customer may authorize",
      details: "Redirect addresses use https, or http with 127.0.0.1, [::1] or localhost, whose port may then be any.",
      arguments: { name: argument("the name of the program, which customers see") },
      options: {
        ...bucketOption,
        redirectUri: listOption("where the browser returns to; all of them", named("URL")),
      },
      examples: {
        'tollgate clients create "Weather CLI" --redirect-uri http://127.0.0.1/callback':
          "A command line, which listens on any port of this machine.",
      },
      call: (client, { bucket, name, redirectUri: redirectUris }) => {
        if (redirectUris.length === 0)
          throw new UsageError("An OAuth client needs a redirect address.", "Add --redirect-uri URL.");
        return client.portal(bucket).createOAuthClient({ name, redirectUris });
      },
    }),
    show: remoteCommand({
      summary: "Show an OAuth client",
      arguments: { id: argument("the client's id") },
      options: { ...bucketOption },
      examples: { "tollgate clients show oac_0QGzNqW81Kx8VhTb3mPcRdZu": "With its redirect addresses." },
      call: (client, { bucket, id }) => client.portal(bucket).oauthClient(id),
    }),
    update: remoteCommand({
      summary: "Change the name or the redirect addresses of an OAuth client",
      arguments: { id: argument("the client's id") },
      options: {
        ...bucketOption,
        name: option("the name of the program, which customers see"),
        redirectUri: listOption("where the browser returns to; all of them", named("URL")),
      },
      examples: {
        "tollgate clients update oac_0QGzNqW81Kx8VhTb3mPcRdZu --redirect-uri https://app.example.com/callback":
          "Replaces the redirect addresses.",
      },
      call: (client, { bucket, id, name, redirectUri }) =>
        client.portal(bucket).updateOAuthClient(id, {
          ...(name === undefined ? {} : { name }),
          ...(redirectUri.length === 0 ? {} : { redirectUris: redirectUri }),
        }),
    }),
    delete: deleteCommand({
      summary: "Delete an OAuth client: its authorizations end immediately",
      arguments: { id: argument("the client's id") },
      options: { ...bucketOption },
      examples: { "tollgate clients delete oac_0QGzNqW81Kx8VhTb3mPcRdZu": "Asks first." },
      what: ({ id }) => `the OAuth client ${id}, whose authorizations end immediately`,
      delete: (client, { bucket, id }) => client.portal(bucket).deleteOAuthClient(id),
    }),
  },
});

export const authorizations = group({
  name: "authorizations",
  summary: "What customers have authorized programs to do",
  commands: {
    list: listCommand({
      summary: "List what customers have authorized programs to do",
      options: {
        ...bucketOption,
        consumer: option("only those of this consumer", named("NAME")),
        client: option("only those of this OAuth client", named("ID")),
      },
      examples: { "tollgate authorizations list --consumer acme": "The programs of a customer." },
      things: "authorizations",
      columns: ["id", "consumer", "client", "permissions", "subject", "createdOn", "expiresOn"],
      list: (client, { bucket, consumer: consumerName, client: clientId, limit, offset }) =>
        client.portal(bucket).authorizations({ consumerName, clientId, limit, offset }),
    }),
    show: remoteCommand({
      summary: "Show an authorization",
      arguments: { id: argument("the authorization's id") },
      options: { ...bucketOption },
      examples: { "tollgate authorizations show auth_0QGzNqW81Kx8VhTb3mPcRdZu": "Who consented, and to what." },
      call: (client, { bucket, id }) => client.portal(bucket).authorization(id),
    }),
    end: deleteCommand({
      summary: "End an authorization: requests with its tokens fail immediately",
      arguments: { id: argument("the authorization's id") },
      options: { ...bucketOption },
      examples: { "tollgate authorizations end auth_0QGzNqW81Kx8VhTb3mPcRdZu": "Asks first." },
      what: ({ id }) => `the authorization ${id}, whose tokens stop working immediately`,
      delete: (client, { bucket, id }) => client.portal(bucket).endAuthorization(id),
    }),
  },
});
