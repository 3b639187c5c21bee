import { argument, flag, listOption, named, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { showSecret } from "../../output/webhooks.ts";

export const command = remoteCommand({
  summary: "Create a webhook; its secret is shown only once",
  details:
    "Events are patterns: a type such as key.rolled, all of a resource such as key.*, or *, which is the default.",
  arguments: { url: argument("the http or https URL") },
  options: {
    name: option("its name, which may stand wherever the id does", named("NAME")),
    event: listOption("a pattern of events to send", named("PATTERN")),
    description: option("a description"),
    disabled: flag("create it disabled"),
  },
  examples: [
    {
      command: "tollgate webhooks create https://acme.example/webhooks --event 'key.*' --event quota.threshold",
      text: "Changes of keys, and quota thresholds.",
    },
  ],
  call: (client, { url, name, event, description, disabled }) =>
    client.webhooks.create({
      url,
      name,
      events: event.length === 0 ? ["*"] : event,
      description,
      ...(disabled ? { isEnabled: false } : {}),
    }),
  show: showSecret,
});
