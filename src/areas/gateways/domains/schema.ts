import { z } from "zod";
import { dateTime, text } from "../../../core/schemas/schemas.ts";

const exampleTime = "2026-01-31T10:00:00.000Z";

const dnsRecord = z.object({
  type: z.enum(["TXT", "CNAME"]),
  name: z.string(),
  value: z.string(),
  isSeen: z.boolean().meta({ description: "Whether the last check found the record." }),
});

const certificate = z.object({
  expiresOn: dateTime,
  issuer: z.string(),
});

/** The maximum number of mounts of a domain. */
const maxMounts = 50;

const mount = z
  .strictObject({
    path: z
      .string()
      .max(200, "must have at most 200 characters")
      .refine(isMountPath, "must be / or a path such as /billing/v1: no trailing slash, no dot segments, no escapes")
      .meta({ description: "`/`, or a prefix of whole segments. The longest one that matches a path wins." }),
    deploymentName: text(300),
    stripPath: z
      .boolean()
      .optional()
      .meta({ description: "Whether the deployment sees paths without the prefix. False by default." }),
  })
  .meta({ id: "Mount", description: "A path prefix of a domain, and the deployment that serves it." });

const mounts = z
  .array(mount)
  .min(1, "must have at least one mount")
  .max(maxMounts, `must have at most ${maxMounts} mounts`);

/** Only characters that no server interprets: escapes and `;` have several readings. */
function isMountPath(path: string): boolean {
  if (path === "/") return true;
  if (!/^(?:\/[A-Za-z0-9._~!$&'()*+,=:@-]+)+$/.test(path)) return false;
  return path.split("/").every((segment) => segment === "" || !segment.endsWith("."));
}

export const domain = z
  .object({
    id: z.string(),
    host: z.string(),
    deploymentName: z.string().meta({
      description:
        "Serves all paths. If there are `mounts`, the deployment of the mount at `/`, or of the first one: the CNAME " +
        "record points to its host.",
    }),
    mounts: mounts.optional().meta({ description: "The deployments by path, if there are several." }),
    status: z.enum(["pending", "active", "failing"]).meta({
      description:
        "`pending`: the TXT record was not found yet, and requests are not routed. `active`: they are. " +
        "`failing`: the TXT record is gone; requests are routed for seven more days.",
    }),
    dns: z.array(dnsRecord).meta({
      description:
        "The records to set: the TXT record proves that the host belongs to the account, the CNAME record routes requests to the server. " +
        "If a CNAME record is not possible, use address records with the same addresses.",
    }),
    certificate: certificate.nullable().meta({ description: "Null if the server has none for the host." }),
    message: z.string().optional().meta({ description: "The problem or the next step." }),
    expiresOn: dateTime.optional().meta({ description: "When a pending claim is removed." }),
    checkedOn: dateTime.optional().meta({ description: "The time of the last lookup." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Domain",
    description: "A host of the account that a deployment serves.",
    examples: [
      {
        id: "domn_0QGzNqW81Kx8VhTb3mPcRdZu",
        host: "api.acme.example",
        deploymentName: "orders-main-1a2b3c4",
        status: "active",
        dns: [
          {
            type: "TXT",
            name: "_tollgate.api.acme.example",
            value: "tollgate-domain=3f1c0a9b5d7e2846f0a1b2c3d4e5f60718293a4b",
            isSeen: true,
          },
          { type: "CNAME", name: "api.acme.example", value: "orders-main-1a2b3c4.gateway.example", isSeen: true },
        ],
        certificate: { expiresOn: "2026-04-30T10:00:00.000Z", issuer: "Let's Encrypt" },
        checkedOn: exampleTime,
        createdOn: exampleTime,
        updatedOn: exampleTime,
      },
    ],
  });

export const domainInput = z
  .strictObject({
    host: text(300).meta({ description: "A full domain name. International names are stored in their ASCII form." }),
    deploymentName: text(300).optional().meta({ description: "The deployment that serves all paths." }),
    mounts: mounts.optional().meta({ description: "Instead of `deploymentName`: deployments by path." }),
  })
  .meta({ id: "DomainCreate" });

export const domainPatch = z
  .strictObject({
    deploymentName: text(300).optional().meta({ description: "Serves all paths from now on; replaces all mounts." }),
    mounts: mounts.nullable().optional().meta({
      description: "Replaces all mounts. With `null`, the domain's `deploymentName` serves all paths.",
    }),
  })
  .meta({ id: "DomainUpdate" });
