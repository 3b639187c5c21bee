import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, listOption, named, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Change a webhook, disable it or enable it again",
  arguments: { id: argument("the webhook's id or name") },
  options: {
    name: option("its name, which may stand wherever the id does", named("NAME")),
    url: option("the http or https URL", named("URL")),
    event: listOption("a pattern of events to send; replaces all existing patterns", named("PATTERN")),
    description: option("a description"),
    enabled: option("whether it gets messages", oneOf("true", "false")),
    ...clearOption("name", "description"),
  },
  examples: [
    {
      command: "tollgate webhooks update hook_0QGzNqW81Kx8VhTb3mPcRdZu --enabled true",
      text: "Enables a disabled webhook.",
    },
    { command: "tollgate webhooks update hook_0QGzNqW81Kx8VhTb3mPcRdZu --event '*'", text: "It gets all events." },
  ],
  call: (client, { id, name, url, event, description, enabled, clear }) => {
    const events = event.length === 0 ? undefined : event;
    const isEnabled = enabled === undefined ? undefined : enabled === "true";
    return client.webhooks.update(id, changesOf({ name, url, events, description, isEnabled }, clear));
  },
  show: showFields,
});
