import { argument, flag, listOption, named, oneOf, option, optionOr } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { s3Credential } from "../../options/export-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Create an export: each closed hour is written once, with a manifest",
  details:
    "The credential of s3:// is that of the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.",
  arguments: {
    name: argument("its name, part of the names of objects"),
    url: argument("s3://bucket/prefix, or file: and an absolute path below TOLLGATE_EXPORT_DIR and the account's name"),
  },
  options: {
    kind: listOption("what to export; by default events", oneOf("events", "requests", "invoices", "audit")),
    format: optionOr("the format of objects", "parquet", oneOf("parquet", "ndjson")),
    endpoint: option("the address of a storage other than Amazon S3", named("URL")),
    region: option("the region of the bucket; by default us-east-1", named("NAME")),
    from: option("the first hour; by default the current one", named("TIME")),
    disabled: flag("create it disabled"),
  },
  examples: [
    {
      command:
        "tollgate exports create warehouse s3://acme-warehouse/tollgate --kind events --kind invoices --region eu-central-1",
      text: "Events and invoices as Parquet.",
    },
    {
      command: "tollgate exports create archive file:/var/lib/tollgate-exports/acme --kind audit --format ndjson",
      text: "The audit log, in a folder of the server.",
    },
  ],
  call: (client, { name, url, kind, format, endpoint, region, from, disabled }, _terminal, { environment }) => {
    if (kind.length !== new Set(kind).size) throw new UsageError("Name each --kind once.");
    const credential = url.startsWith("s3:") ? s3Credential(environment) : undefined;
    return client.exports.create({
      name,
      to: { url, endpoint, region, credential },
      kinds: kind.length === 0 ? ["events"] : kind,
      format,
      from,
      ...(disabled ? { isEnabled: false } : {}),
    });
  },
  show: showFields,
});
