import { argument, flag, listOption, named, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showSecret } from "../../output/webhooks.ts";

export const command = remoteCommand({
  summary: "Create a webhook; its secret is shown only once",
  details:
    "Events are patterns: a type such as key.rolled, all of a resource such as key.*, or *, which is the default.",
  arguments: { url: argument("the http or https address to send to") },
  options: {
    event: listOption("which events it gets", named("PATTERN")),
    description: option("what it is for"),
    disabled: flag("make it without sending it anything yet"),
  },
  examples: [
    {
      command: "tollgate webhooks create https://acme.example/webhooks --event 'key.*' --event quota.threshold",
      text: "What happens to keys, and who is near a limit.",
    },
  ],
  call: (client, { url, event, description, disabled }) =>
    client.webhooks.create({
      url,
      events: event.length === 0 ? ["*"] : event,
      description,
      ...(disabled ? { isEnabled: false } : {}),
    }),
  show: showSecret,
});
