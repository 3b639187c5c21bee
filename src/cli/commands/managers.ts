import { changesOf, clearOption } from "../arguments/changes.ts";
import { argument, option } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { consumerOptions } from "../options/key-bucket-options.ts";
import { scopeOption } from "../options/portal-scope-option.ts";

const shared = {
  within: { consumer: argument("the consumer's name") },
  options: consumerOptions,
};

const manager = resource({
  ...shared,
  one: "a manager",
  id: { id: argument("the manager's id") },
  sample: "acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client, { bucket, consumer }) => client.managers(bucket, consumer),
});

const invite = resource({
  ...shared,
  one: "an invite",
  id: { id: argument("the invite's id") },
  sample: "acme mngi_0QGzNqW81Kx8VhTb3mPcRdZu",
  api: (client, { bucket, consumer }) => client.managerInvites(bucket, consumer),
});

export const managers = group({
  name: "managers",
  summary: "The managers of consumers' keys, and invites",
  aliases: { withdraw: "delete-invite" },
  commands: {
    list: manager.list({
      summary: "List the managers of a consumer",
      columns: ["id", "sub", "email", "scopes", "createdOn"],
      examples: "The people who manage its keys.",
      query: ({ ifTag }) => ({ tag: ifTag }),
    }),
    add: manager.command({
      summary: "Add a manager to a consumer",
      arguments: { sub: argument("the person's subject at your identity provider") },
      options: { email: option("their address") },
      examples: {
        "tollgate managers add acme 'auth0|ann' --email ann@acme.example": "Immediately, without an invite.",
      },
      call: (api, { sub, ifTag, email }) => api.add({ sub, email }, { tag: ifTag }),
    }),
    update: manager.action({
      summary: "Change what a manager may do in the portal",
      options: { ...scopeOption, ...clearOption("scopes") },
      examples: {
        "tollgate managers update acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu --scope usage:read": "From their next request on.",
        "tollgate managers update acme mngr_0QGzNqW81Kx8VhTb3mPcRdZu --clear scopes": "They may do everything.",
      },
      call: (api, id, { ifTag, scope, clear }) => api.update(id, changesOf({ scopes: scope }, clear), { tag: ifTag }),
    }),
    delete: manager.delete({
      summary: "Delete a manager of a consumer",
      examples: "Asks first.",
      call: (api, id, { ifTag }) => api.delete(id, { tag: ifTag }),
    }),
    invites: invite.list({
      summary: "List pending invites",
      columns: ["id", "email", "createdOn", "expiresOn"],
      examples: "With the expiry of each.",
      query: ({ ifTag }) => ({ tag: ifTag }),
    }),
    invite: invite.command({
      summary: "Invite a person to manage a consumer's keys",
      details:
        "They sign in to the portal with this address, or your own page accepts the invite by its id. No mail is sent for it.",
      arguments: { email: argument("their address") },
      options: scopeOption,
      examples: { "tollgate managers invite acme bob@acme.example": "Then: tollgate managers accept" },
      call: (api, { email, ifTag, scope }) =>
        api.create({ email, ...(scope ? { scopes: scope } : {}) }, { tag: ifTag }),
    }),
    accept: invite.action({
      summary: "Accept an invite: the invited person becomes a manager",
      arguments: { sub: argument("the person's subject at your identity provider") },
      examples: {
        "tollgate managers accept acme mngi_0QGzNqW81Kx8VhTb3mPcRdZu 'auth0|bob'": "The invite cannot be used again.",
      },
      call: (api, id, { sub, ifTag }) => api.accept(id, { sub }, { tag: ifTag }),
    }),
    "delete-invite": invite.delete({
      summary: "Delete an invite, which can no longer be accepted",
      examples: "Asks first.",
      call: (api, id, { ifTag }) => api.delete(id, { tag: ifTag }),
    }),
  },
});
