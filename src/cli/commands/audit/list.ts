import { integer, oneOf, option, pastTime } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { hintAtOlder, showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Show the audit log, the newest entries first",
  arguments: {},
  options: {
    action: option("only this action, such as key.rolled, or key.* for all of a type"),
    actor: option("only changes by this actor: the id of a token, operator or system"),
    actorType: option(
      "only changes by this kind of actor; manager is what customers did in the portal",
      oneOf("token", "person", "manager", "client", "operator", "system"),
    ),
    resource: option("only changes of this type of resource, or of the resource with this id and its children"),
    from: option("only entries since this time, such as -7d", pastTime),
    to: option("before then", pastTime),
    limit: option("the number of entries; 1000 by default, which is the maximum", integer),
    before: option("only entries that are older than the one with this id"),
  },
  examples: [
    { command: "tollgate audit list --limit 20", text: "The newest entries." },
    { command: "tollgate audit list --action 'key.*' --from -7d", text: "Changes of keys in the last week." },
    { command: "tollgate audit list --actor-type manager", text: "What customers did in the portal." },
  ],
  call: async (client, { action, actor, actorType, resource, from, to, limit, before }) => ({
    data: await client.auditLog.list({ action, actor, actorType, resource, from, to, limit, before }),
  }),
  csv: (client, { action, actor, actorType, resource, from, to, limit, before }) =>
    client.auditLog.csv({ action, actor, actorType, resource, from, to, limit, before }),
  show({ data }, terminal, { limit = 1000 }) {
    const rows = data.map(({ id, time, action, actor, resource, ip }) => ({
      time,
      action,
      resource: resource.name ?? resource.id,
      actor: actor.name ?? actor.id,
      ip,
      id,
    }));
    showList(terminal, rows, ["time", "action", "resource", "actor", "ip", "id"]);
    hintAtOlder(terminal, data, limit);
    if (data.length === 0) terminal.note("There are no such entries.");
  },
});
