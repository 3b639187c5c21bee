import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, listOption, named, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Change a webhook, disable it or enable it again",
  arguments: { id: argument("the webhook's id") },
  options: {
    url: option("the http or https address to send to", named("URL")),
    event: listOption("which events it gets, in the place of all old ones", named("PATTERN")),
    description: option("what it is for"),
    enabled: option("whether it is sent anything", oneOf("true", "false")),
    ...clearOption("description"),
  },
  examples: [
    {
      command: "tollgate webhooks update hook_0QGzNqW81Kx8VhTb3mPcRdZu --enabled true",
      text: "Brings back one that was disabled.",
    },
    { command: "tollgate webhooks update hook_0QGzNqW81Kx8VhTb3mPcRdZu --event '*'", text: "It gets everything." },
  ],
  call: (client, { id, url, event, description, enabled, clear }) => {
    const events = event.length === 0 ? undefined : event;
    const isEnabled = enabled === undefined ? undefined : enabled === "true";
    return client.webhooks.update(id, changesOf({ url, events, description, isEnabled }, clear));
  },
  show: showFields,
});
