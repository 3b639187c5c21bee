import { defineCommand } from "../../arguments/command.ts";
import { describeBroken } from "../../audit-export/audit-export.ts";
import { connectTo, targetOptions } from "../../connection/remote.ts";
import { entriesOf } from "../../output/show.ts";

export const command = defineCommand({
  summary: "Write the whole audit log as JSON lines, with its signed head",
  details: `An entry per line, the newest first, after a first line with the signed head of the chain. \`tollgate audit verify\` verifies
the file without a server. Entries about tokens, members, sessions and trusted issuers are only for admins, so only their export is
complete and can be verified.`,
  arguments: {},
  options: { ...targetOptions },
  examples: [{ command: "tollgate audit export > audit.jsonl", text: "A copy to keep elsewhere." }],
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
});
