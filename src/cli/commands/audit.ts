import { defineCommand } from "../arguments/command.ts";
import { argument, flag, integer, named, oneOf, option, pastTime } from "../arguments/values.ts";
import { describeBroken, readPublicKeys, verifyExport } from "../audit-export/audit-export.ts";
import { connectTo, remoteCommand, targetOptions } from "../connection/remote.ts";
import { group } from "../connection/resource.ts";
import { entriesOf, hintAtOlder, showList } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";

export const audit = group({
  name: "audit",
  summary: "The audit log: changes with their actors",
  commands: {
    list: remoteCommand({
      summary: "Show the audit log, the newest entries first",
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
      examples: {
        "tollgate audit list --limit 20": "The newest entries.",
        "tollgate audit list --action 'key.*' --from -7d": "Changes of keys in the last week.",
        "tollgate audit list --actor-type manager": "What customers did in the portal.",
      },
      call: async (client, options) => ({ data: await client.auditLog.list(options) }),
      csv: (client, options) => client.auditLog.csv(options),
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
    }),
    export: defineCommand({
      summary: "Write the whole audit log as JSON lines, with its signed head",
      details: `An entry per line, the newest first, after a first line with the signed head of the chain. \`tollgate audit verify\` verifies
the file without a server. Entries about tokens, members, sessions and trusted issuers are only for admins, so only their export is
complete and can be verified.`,
      options: { ...targetOptions },
      examples: { "tollgate audit export > audit.jsonl": "A copy to keep elsewhere." },
      async run(target, context) {
        const client = await connectTo(target, context);
        // The head is requested first, so the export reaches at least as far as the head.
        const { intact, entries, head, firstBroken } = await client.auditLog.verify();
        if (head && entries > 0) context.terminal.print(JSON.stringify({ head }));
        let count = 0;
        let first: number | undefined;
        for await (const entry of client.auditLog.all()) {
          context.terminal.print(JSON.stringify(entry));
          count += 1;
          first = entry.seal?.number ?? first;
        }
        // The oldest entries were trimmed during the export: a new head proves it.
        if (head && first !== undefined && first > (head.trimmed ?? 0) + 1)
          context.terminal.print(JSON.stringify({ head: (await client.auditLog.verify()).head }));
        context.terminal.note(`Exported ${entriesOf(count)}.`);
        const { role } = await client.whoAmI();
        if (role !== "admin" && role !== "operator")
          context.terminal.note(
            "The entries about tokens, members, sessions and trusted issuers are left out: only an admin's export can be verified.",
          );
        if (!intact) context.terminal.note(`The log is broken: ${describeBroken(firstBroken!)}.`);
        return intact ? undefined : 1;
      },
    }),
    verify: defineCommand({
      summary: "Verify an exported audit log, without a server",
      details: `Exits with 1 if an entry was changed, removed or truncated after it was sealed, and names it. --key is what the server
serves at /.well-known/tollgate-audit-key, saved when it was trusted: with it the signature of the head is verified too.`,
      arguments: { file: argument("a file that `tollgate audit export` wrote", "file") },
      options: {
        head: option("an earlier head, which the file must contain", named("COUNT:HASH")),
        key: option("the file with the public keys of the installation", named("FILE", "file")),
        json: flag("print the result as JSON"),
      },
      examples: {
        "tollgate audit verify audit.jsonl": "Exits with 1 if an entry was changed.",
        "tollgate audit verify audit.jsonl --key audit-key.json": "Also verifies the signature of the installation.",
      },
      async run({ file, head, key, json }, { terminal }) {
        const noted = head === undefined ? undefined : /^(\d{1,15}):([0-9a-f]{64})$/.exec(head);
        if (noted === null) throw new UsageError("--head must be COUNT:HASH, as in the server's log and in an export.");
        const result = await verifyExport(file, {
          noted: noted && { count: Number(noted[1]), hash: noted[2]! },
          keys: key === undefined ? undefined : readPublicKeys(key),
        });
        const { intact, entries, unsealed, head: end, firstBroken } = result;
        if (json) terminal.printJson(result);
        else if (intact) {
          terminal.print(
            `Intact: ${entriesOf(entries)}${unsealed > 0 ? `, and ${unsealed} not sealed yet` : ""}.` +
              `${end ? ` Head ${end.count}:${end.hash}` : ""}`,
          );
          if (key === undefined) terminal.note("The signature of the head was not verified: no --key.");
        } else {
          terminal.print(`Broken: ${describeBroken(firstBroken!)}.`);
        }
        return intact ? undefined : 1;
      },
    }),
  },
});
