import { defineCommand } from "../../arguments/command.ts";
import { argument, flag, named, option } from "../../arguments/values.ts";
import { describeBroken, readPublicKeys, verifyExport } from "../../audit-export/audit-export.ts";
import { entriesOf } from "../../output/show.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = defineCommand({
  summary: "Verify an exported audit log, without a server",
  details: `Exits with 1 if an entry was changed, removed or truncated after it was sealed, and names it. --key is what the server
serves at /.well-known/tollgate-audit-key, saved when it was trusted: with it the signature of the head is verified too.`,
  arguments: { file: argument("a file that `tollgate audit export` wrote", "file") },
  options: {
    head: option("an earlier head, which the file must contain", named("COUNT:HASH")),
    key: option("the file with the public keys of the installation", named("FILE", "file")),
    json: flag("print the result as JSON"),
  },
  examples: [
    { command: "tollgate audit verify audit.jsonl", text: "Exits with 1 if an entry was changed." },
    {
      command: "tollgate audit verify audit.jsonl --key audit-key.json",
      text: "Also verifies the signature of the installation.",
    },
  ],
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
});
