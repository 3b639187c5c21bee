import { isAbsolute } from "node:path";
import { z } from "zod";
import { dateTime, dateTimeInput, secret, someOf, text } from "../../../core/schemas/schemas.ts";
import { namePattern, namePatternText } from "../../../lib/text/names.ts";

const exportKinds = ["events", "requests", "invoices", "audit"] as const;
export type ExportKind = (typeof exportKinds)[number];
const exportFormats = ["parquet", "ndjson"] as const;
export type ExportFormat = (typeof exportFormats)[number];

const exampleTime = "2026-01-31T10:00:00.000Z";

const exportName = z.string().regex(namePattern, `must be ${namePatternText}`).meta({
  description: "1 to 128 characters of a-z, 0-9, `_` and `-`. Unique in the account; part of the names of objects.",
});

/** `s3://bucket/prefix`, or `file:` with an absolute path. Neither may contain `..` or what must be encoded. */
const destinationUrl = text(1024)
  .refine((url) => isDestination(url), {
    error: ({ input }) =>
      String(input).startsWith("s3://")
        ? "must be s3://bucket/prefix, with a bucket of 3 to 63 characters of a-z, 0-9, . and -, and a prefix of letters, digits and ._-/"
        : "must be s3://bucket/prefix, or file: with an absolute path, of letters, digits and ._-/",
  })
  .meta({
    description:
      "`s3://bucket/prefix`, or `file:` and an absolute path below `TOLLGATE_EXPORT_DIR` and the account's name.",
  });

function isDestination(url: string): boolean {
  const bucket = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/.*)?$/.exec(url);
  const path = bucket ? (bucket[2] ?? "") : url.startsWith("file:") ? folderOf(url) : undefined;
  if (path === undefined || (!bucket && !isAbsolute(path))) return false;
  return /^[A-Za-z0-9._/-]*$/.test(path) && !path.split("/").some((part) => part === "." || part === "..");
}

/** The path of a `file:` URL, with or without an empty host. */
export function folderOf(url: string): string {
  return url.slice("file:".length).replace(/^\/\/(?=\/)/, "");
}

const endpoint = text(1024)
  .refine((value) => {
    const parsed = URL.parse(value);
    if (!parsed || !["http:", "https:"].includes(parsed.protocol)) return false;
    return parsed.pathname === "/" && !parsed.search && !parsed.hash && !parsed.username && !parsed.password;
  }, "must be an http or https address without path, user and query")
  .meta({ description: "Of a storage other than Amazon S3, such as `https://minio.acme.example`." });

const region = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, "must be a region, such as eu-central-1")
  .meta({ description: "By default `us-east-1`." });

/** Not empty: the console sends an empty text for a field that was left out. */
const visible = (maximum: number) =>
  text(maximum)
    .min(1)
    .regex(/^[\x21-\x7e]*$/, "must be visible ASCII characters");
const credential = z
  .strictObject({
    accessKeyId: visible(256),
    secretAccessKey: secret(visible(1024)),
    sessionToken: secret(visible(4096)).optional(),
  })
  .meta({ description: "For `s3://`. Needs the permission to put objects below the prefix. Stored encrypted." });

const kinds = someOf(exportKinds);

const isEnabled = z.boolean().meta({ description: "With false nothing is written; afterwards, what was missed is." });

export const exportInput = z
  .strictObject({
    name: exportName,
    to: z.strictObject({
      url: destinationUrl,
      endpoint: endpoint.optional(),
      region: region.optional(),
      credential: credential.optional(),
    }),
    kinds,
    format: z.enum(exportFormats),
    isEnabled: isEnabled.optional().meta({ default: true }),
    from: dateTimeInput.optional().meta({ description: "The first hour. By default the current one." }),
  })
  .meta({
    id: "HourlyExportCreate",
    examples: [
      {
        name: "warehouse",
        to: {
          url: "s3://acme-warehouse/tollgate",
          region: "eu-central-1",
          credential: { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret" },
        },
        kinds: ["events", "invoices"],
        format: "parquet",
      },
    ],
  });
export type ExportInput = z.output<typeof exportInput>;

export const exportPatch = z
  .strictObject({ isEnabled: isEnabled.optional(), credential: credential.optional() })
  .meta({ id: "HourlyExportUpdate", examples: [{ isEnabled: false }] });
export type ExportPatch = z.output<typeof exportPatch>;

export const backfillInput = z
  .strictObject({
    from: dateTimeInput.meta({ description: "The first hour to write." }),
    to: dateTimeInput.optional().meta({
      description:
        "The end of the hours to write. By default the first hour of the export if `from` is before it, otherwise the next hour.",
    }),
  })
  .meta({ id: "HourlyExportBackfill", examples: [{ from: "2026-01-01T00:00:00.000Z" }] });

export const exported = z
  .object({
    id: z.string(),
    name: z.string(),
    to: z.object({
      url: z.string(),
      endpoint: z.string().optional(),
      region: z.string().optional(),
      accessKeyId: z.string().optional(),
    }),
    kinds: z.array(z.enum(exportKinds)),
    format: z.enum(exportFormats),
    isEnabled: z.boolean(),
    firstHour: dateTime.meta({ description: "The start of the first hour, without a backfill in progress." }),
    lastHour: dateTime.nullable().meta({ description: "The start of the last hour that was written, or null." }),
    delaySeconds: z
      .int()
      .meta({ description: "How long the next hour has been closed and not written; 0 if none is." }),
    backfill: z
      .object({ from: dateTime, nextHour: dateTime, to: dateTime })
      .optional()
      .meta({ description: "The backfill in progress: its first hour, the next one to write, and its end." }),
    failingSince: dateTime.optional(),
    lastError: z.string().optional().meta({ description: "Of the last attempt, if it failed." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "HourlyExport",
    description: "Writes each closed hour to object storage or a folder.",
    examples: [
      {
        id: "expt_0QGzNqW81Kx8VhTb3mPcRdZu",
        name: "warehouse",
        to: { url: "s3://acme-warehouse/tollgate", region: "eu-central-1", accessKeyId: "AKIAEXAMPLE" },
        kinds: ["events", "invoices"],
        format: "parquet",
        isEnabled: true,
        firstHour: exampleTime,
        lastHour: exampleTime,
        delaySeconds: 0,
        createdOn: exampleTime,
        updatedOn: exampleTime,
      },
    ],
  });
