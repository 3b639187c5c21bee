import { oneOf, option, requiredOption, time } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showResource } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Create a token; its value is shown only once",
  details:
    "Roles: admin (everything), editor (all but tokens), reader (looks, keys masked), verifier (verify keys and usage only).",
  arguments: {},
  options: {
    role: requiredOption("what it may do", oneOf("admin", "editor", "reader", "verifier")),
    name: option("what it is for"),
    expiresOn: option("when it ends, such as 90d", time),
  },
  examples: [
    { command: 'tollgate tokens create --role verifier --name "my gateway"', text: "For a gateway of your own." },
    { command: "tollgate tokens create --role reader --expires-on 30d", text: "For a month." },
  ],
  call: (client, { role, name, expiresOn }) => client.tokens.create({ role, name, expiresOn }),
  show(token, terminal) {
    showResource(terminal, token);
    terminal.note(terminal.noteStyle("yellow", "Keep the value now: it is not shown again."));
  },
});
