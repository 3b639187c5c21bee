import type { Environment } from "../../config/config.ts";
import { argument, flag, listOption, named, oneOf, option, optionOr, requiredOption } from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { UsageError } from "../process/usage-error.ts";

/** The credential of the environment, so that no secret is part of a command line. */
function s3Credential(environment: Environment) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN || undefined;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError("The credential is missing.", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}

const dataExport = resource({
  one: "an export",
  id: { name: argument("the export's name") },
  sample: "warehouse",
  api: (client) => client.exports,
});

export const exports = group({
  name: "exports",
  summary: "Exports: copies of events, requests, invoices and the audit log in object storage, by hour",
  commands: {
    list: dataExport.list({
      columns: ["name", "kinds", "format", "isEnabled", "lastHour", "delaySeconds", "lastError"],
      examples: "Where hours are written, and how late they are.",
    }),
    create: dataExport.command({
      summary: "Create an export: each closed hour is written once, with a manifest",
      details:
        "The credential of s3:// is that of the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.",
      arguments: {
        name: argument("its name, part of the names of objects"),
        url: argument(
          "s3://bucket/prefix, or file: and an absolute path below TOLLGATE_EXPORT_DIR and the account's name",
        ),
      },
      options: {
        kind: listOption("what to export; by default events", oneOf("events", "requests", "invoices", "audit")),
        format: optionOr("the format of objects", "parquet", oneOf("parquet", "ndjson")),
        endpoint: option("the address of a storage other than Amazon S3", named("URL")),
        region: option("the region of the bucket; by default us-east-1", named("NAME")),
        from: option("the first hour; by default the current one", named("TIME")),
        disabled: flag("create it disabled"),
      },
      examples: {
        "tollgate exports create warehouse s3://acme-warehouse/tollgate --kind events --kind invoices --region eu-central-1":
          "Events and invoices as Parquet.",
        "tollgate exports create archive file:/var/lib/tollgate-exports/acme --kind audit --format ndjson":
          "The audit log, in a folder of the server.",
      },
      call: (api, { name, url, kind, format, endpoint, region, from, disabled }, { environment }) => {
        if (kind && kind.length !== new Set(kind).size) throw new UsageError("Name each --kind once.");
        const credential = url.startsWith("s3:") ? s3Credential(environment) : undefined;
        const to = { url, endpoint, region, credential };
        const isEnabled = disabled ? false : undefined;
        return api.create({ name, to, kinds: kind ?? ["events"], format, from, isEnabled });
      },
    }),
    show: dataExport.show({ examples: "With its last hour, delay and error." }),
    update: dataExport.action({
      summary: "Enable or disable an export, or change its credential",
      details:
        "A failing export is tried again immediately. With --credential, the credential is that of the environment.",
      options: {
        enable: flag("write closed hours"),
        disable: flag("write nothing until it is enabled"),
        credential: flag("replace the credential by that of the environment"),
      },
      examples: {
        "tollgate exports update warehouse --disable": "What it misses is written later.",
        "AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… tollgate exports update warehouse --credential": "With a new key.",
      },
      call: (api, name, { enable, disable, credential }, { environment }) => {
        if (enable && disable) throw new UsageError("--enable cannot be combined with --disable.");
        if (!enable && !disable && !credential) throw new UsageError("There is nothing to change.");
        return api.update(name, {
          ...((enable || disable) && { isEnabled: enable }),
          ...(credential && { credential: s3Credential(environment) }),
        });
      },
    }),
    backfill: dataExport.action({
      summary: "Write earlier hours of an export, or hours again",
      details: "An hour that is written again replaces its objects, the manifest last.",
      options: {
        from: requiredOption("the first hour to write", named("TIME")),
        to: option(
          "the end; by default the export's first hour, or its next one if --from is not before that",
          named("TIME"),
        ),
      },
      examples: {
        "tollgate exports backfill warehouse --from 2026-01-01T00:00:00Z": "As far as data is still kept.",
        "tollgate exports backfill warehouse --from 2026-01-31T10:00:00Z --to 2026-01-31T11:00:00Z":
          "Writes this hour again.",
      },
      call: (api, name, { from, to }) => api.backfill(name, to === undefined ? { from } : { from, to }),
    }),
    delete: dataExport.delete({
      summary: "Delete an export: what it has written stays",
      examples: "Asks first.",
    }),
  },
});
