import { argument, named, option, requiredOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Write earlier hours of an export, or hours again",
  details: "An hour that is written again replaces its objects, the manifest last.",
  arguments: { name: argument("the export's name") },
  options: {
    from: requiredOption("the first hour to write", named("TIME")),
    to: option(
      "the end; by default the export's first hour, or its next one if --from is not before that",
      named("TIME"),
    ),
  },
  examples: [
    {
      command: "tollgate exports backfill warehouse --from 2026-01-01T00:00:00Z",
      text: "As far as data is still kept.",
    },
    {
      command: "tollgate exports backfill warehouse --from 2026-01-31T10:00:00Z --to 2026-01-31T11:00:00Z",
      text: "Writes this hour again.",
    },
  ],
  call: (client, { name, from, to }) => client.exports.backfill(name, to === undefined ? { from } : { from, to }),
  show: showFields,
});
