import { defineCommand } from "../arguments/command.ts";
import { argument, flag } from "../arguments/values.ts";
import { remoteOptions } from "../connection/remote.ts";
import { type ImportFormat, importFormats, runImport } from "../key-imports/run-import.ts";
import { bucketOption } from "../options/key-bucket-options.ts";
import { UsageError } from "../process/usage-error.ts";

export const importKeys = defineCommand({
  summary: "Import consumers and keys of another system",
  details: `zuplo reads the list of consumers that its API returns, with visible keys. kong reads a declarative configuration (YAML or JSON).
csv reads a line for each key, with the columns consumer, tags.<tag>, key or sha256 (hex or base64), suffix, description, expiresOn,
permissions and allowedIps (both with ; between entries). Customers keep their keys. A value that is shorter than 16 characters or has
unusual ones is imported by its hash. Running it again creates only what is missing.`,
  arguments: {
    format: argument("zuplo, kong or csv", importFormats),
    file: argument("the file; - for standard input", "file"),
  },
  options: {
    ...bucketOption,
    dryRun: flag("show what would be created, and change nothing"),
    ...remoteOptions,
  },
  examples: {
    "tollgate import kong kong.yaml --dry-run": "Shows the effect without changing anything.",
    "tollgate import csv keys.csv --bucket production": "Eight consumers at a time, with a report.",
  },
  run({ format, file, bucket, dryRun, json, ...target }, context) {
    if (!importFormats.includes(format as ImportFormat))
      throw new UsageError(`"${format}" is not a format. Formats: ${importFormats.join(", ")}`);
    return runImport({ format: format as ImportFormat, file, bucket, isDryRun: dryRun, json, target }, context);
  },
});
