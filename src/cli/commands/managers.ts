import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, option } from "../arguments/values.ts";
import { deleteCommand, listCommand, remoteCommand } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { consumerOptions } from "../options/key-bucket-options.ts";
import { scopesOption } from "../options/portal-scope-option.ts";

export const managers = group({
  name: "managers",
  summary: "The managers of consumers' keys, and invites",
  commands: {
    list: listCommand({
      summary: "List the managers of a consumer",
      arguments: { consumer: argument("the consumer's name") },
      options: consumerOptions,
      examples: { "tollgate managers list acme": "The people who manage its keys." },
      things: "managers",
      columns: ["id", "sub", "email", "scopes", "createdOn"],
      list: (client, { consumer, bucket, ifTag, limit, offset }) =>
        client.managers(bucket, consumer).list({ tag: ifTag, limit, offset }),
    }),
    add: remoteCommand({
      summary: "Add a manager to a consumer",
      arguments: {
        consumer: argument("the consumer's name"),
        sub: argument("the person's subject at your identity provider"),
      },
      options: { ...consumerOptions, email: option("their address") },
      examples: {
        "tollgate managers add acme 'auth0|ann' --email ann@acme.example": "Immediately, without an invite.",
      },
      call: (client, { consumer, sub, bucket, ifTag, email }) =>
        client.managers(bucket, consumer).add({ sub, email }, { tag: ifTag }),
    }),
    update: remoteCommand({
      summary: "Change what a manager may do in the portal",
      arguments: { consumer: argument("the consumer's name"), id: argument("the manager's id") },
      options: { ...consumerOptions, scope: scopesOption(), ...clearOption("scopes") },
      examples: {
        "tollgate managers update acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu --scope usage:read": "From their next request on.",
        "tollgate managers update acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu --clear scopes": "They may do everything.",
      },
      call: (client, { consumer, id, bucket, ifTag, scope, clear }) =>
        client.managers(bucket, consumer).update(id, changesOf({ scopes: scope }, clear), { tag: ifTag }),
    }),
    delete: deleteCommand({
      summary: "Remove a manager from a consumer",
      arguments: { consumer: argument("the consumer's name"), id: argument("the manager's id") },
      options: consumerOptions,
      examples: { "tollgate managers delete acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu": "Asks first." },
      what: ({ consumer, id }) => `the manager ${id} of ${consumer}`,
      delete: (client, { consumer, id, bucket, ifTag }) => client.managers(bucket, consumer).delete(id, { tag: ifTag }),
    }),
    invites: listCommand({
      summary: "List pending invites",
      arguments: { consumer: argument("the consumer's name") },
      options: consumerOptions,
      examples: { "tollgate managers invites acme": "With the expiry of each." },
      things: "invites",
      columns: ["id", "email", "createdOn", "expiresOn"],
      list: (client, { consumer, bucket, ifTag, limit, offset }) =>
        client.managerInvites(bucket, consumer).list({ tag: ifTag, limit, offset }),
    }),
    invite: remoteCommand({
      summary: "Invite a person to manage a consumer's keys",
      details:
        "They sign in to the portal with this address, or your own page accepts the invite by its id. No mail is sent for it.",
      arguments: { consumer: argument("the consumer's name"), email: argument("their address") },
      options: { ...consumerOptions, scope: scopesOption() },
      examples: { "tollgate managers invite acme bob@acme.example": "Then: tollgate managers accept" },
      call: (client, { consumer, email, bucket, ifTag, scope }) =>
        client.managerInvites(bucket, consumer).create({ email, ...(scope ? { scopes: scope } : {}) }, { tag: ifTag }),
    }),
    accept: remoteCommand({
      summary: "Accept an invite: the invited person becomes a manager",
      arguments: {
        consumer: argument("the consumer's name"),
        id: argument("the invite's id"),
        sub: argument("the person's subject at your identity provider"),
      },
      options: consumerOptions,
      examples: {
        "tollgate managers accept acme mngi_0QGzNqW81Kx8VhTb3mPcRdZu 'auth0|bob'": "The invite cannot be used again.",
      },
      call: (client, { consumer, id, sub, bucket, ifTag }) =>
        client.managerInvites(bucket, consumer).accept(id, { sub }, { tag: ifTag }),
    }),
    withdraw: deleteCommand({
      summary: "Withdraw an invite",
      arguments: { consumer: argument("the consumer's name"), id: argument("the invite's id") },
      options: consumerOptions,
      examples: {
        "tollgate managers withdraw acme mngi_0QGzNqW81Kx8VhTb3mPcRdZu": "The invite can no longer be accepted.",
      },
      verb: { prompt: "Withdraw", done: "Withdrew" },
      what: ({ consumer, id }) => `the invite ${id} of ${consumer}`,
      delete: (client, { consumer, id, bucket, ifTag }) =>
        client.managerInvites(bucket, consumer).delete(id, { tag: ifTag }),
    }),
  },
});
