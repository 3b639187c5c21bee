import { flag, oneOf, option, requiredOption, time } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showResource } from "../../output/show.ts";

export const command = remoteCommand({
  summary: "Create a token; its value is shown only once",
  details:
    "Roles: admin (everything), editor (everything except tokens and members), reader (read only, keys masked), billing (like " +
    "reader, and may change plans, subscriptions, customers, credits, invoices and the billing profile), verifier (only verify keys and report usage).",
  arguments: {},
  options: {
    role: requiredOption("the role", oneOf("admin", "editor", "reader", "billing", "verifier")),
    name: option("a name, such as its purpose"),
    expiresOn: option("when it expires, such as 90d", time),
    value: flag("print only the value, for a script"),
  },
  examples: [
    { command: 'tollgate tokens create --role verifier --name "my gateway"', text: "For your own gateway." },
    { command: "tollgate tokens create --role reader --expires-on 30d", text: "Expires in a month." },
    {
      command: "TOLLGATE_TOKEN=$(tollgate tokens create --role verifier --value) node app.mjs",
      text: "For a program, without a copy in the history of the shell.",
    },
  ],
  call: (client, { role, name, expiresOn }) => client.tokens.create({ role, name, expiresOn }),
  show(token, terminal, { value }) {
    if (value) return terminal.print(token.token!);
    showResource(terminal, token);
    terminal.note(terminal.noteStyle("yellow", "Store the value now: it is not shown again."));
  },
});
