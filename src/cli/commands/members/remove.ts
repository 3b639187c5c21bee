import { defineCommand } from "../../arguments/command.ts";
import { argument } from "../../arguments/values.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../../connection/remote.ts";
import { showList } from "../../output/show.ts";
import { confirm } from "../../terminal/prompts.ts";

export const command = defineCommand({
  summary: "Remove a member: their sessions end immediately",
  details:
    "Lists the tokens that they created, which still work. Also withdraws an invitation that is not accepted yet.",
  arguments: { id: argument("the member's id") },
  options: { ...yesOption, ...remoteOptions },
  examples: [{ command: "tollgate members remove prsn_0QGzNqW81Kx8VhTb3mPcRdZu", text: "Asks first." }],
  async run({ id, yes, json, ...target }, context) {
    const { terminal } = context;
    const client = await connectTo(target, context);
    if (!yes && !(await confirm(terminal, `Remove the member ${id}, whose sessions end immediately?`)))
      return reject(context);
    const removed = await client.members.remove(id);
    if (json) terminal.printJson(removed);
    else {
      terminal.note(`Removed the member ${id}; ${removed.sessions} of their sessions ended.`);
      if (removed.tokens.length > 0) {
        terminal.note(
          "They created these tokens, which still work. Delete those you do not want: tollgate tokens delete",
        );
        showList(terminal, removed.tokens, ["id", "name", "role", "createdOn", "lastUsedOn"]);
      }
    }
    return undefined;
  },
});
