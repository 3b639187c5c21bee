import { argument, named, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Write hours before the first one of an export",
  details: "Hours that were written are not written again.",
  arguments: { name: argument("the export's name") },
  options: { from: requiredOption("the first hour to write", named("TIME")) },
  examples: [
    {
      command: "tollgate exports backfill warehouse --from 2026-01-01T00:00:00Z",
      text: "As far as data is still kept.",
    },
  ],
  call: (client, { name, from }) => client.exports.backfill(name, { from }),
  show: showFields,
});
