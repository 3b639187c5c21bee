import { integer, option, pastTime } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { hintAtOlder, showList } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Show the audit log, the newest entries first",
  arguments: {},
  options: {
    action: option("only such as key.rolled, or key.* for all of a type"),
    actor: option("only what was done with a token, by its id; or operator, or system"),
    resource: option("only about a type, or about an id and what belongs to it"),
    from: option("not before then, such as -7d", pastTime),
    to: option("before then", pastTime),
    limit: option("how many; 1000 by default, and at most", integer),
    before: option("what is older than the entry with this id"),
  },
  examples: [
    { command: "tollgate audit list --limit 20", text: "What happened last." },
    { command: "tollgate audit list --action 'key.*' --from -7d", text: "What was done to keys within a week." },
  ],
  call: async (client, { action, actor, resource, from, to, limit, before }) => ({
    data: await client.auditLog.list({ action, actor, resource, from, to, limit, before }),
  }),
  csv: (client, { action, actor, resource, from, to, limit, before }) =>
    client.auditLog.csv({ action, actor, resource, from, to, limit, before }),
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
