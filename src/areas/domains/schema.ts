import { z } from "zod";
import { dateTime, text } from "../../core/schemas/schemas.ts";

const exampleTime = "2026-01-31T10:00:00.000Z";

const dnsRecord = z.object({
  type: z.enum(["TXT", "CNAME"]),
  name: z.string(),
  value: z.string(),
  isSeen: z.boolean().meta({ description: "Whether the last check has found it." }),
});

const certificate = z.object({
  expiresOn: dateTime,
  issuer: z.string(),
});

export const domain = z
  .object({
    id: z.string(),
    host: z.string(),
    deploymentName: z.string(),
    status: z.enum(["pending", "active", "failing"]).meta({
      description:
        "`pending`: the TXT record was not found yet, and requests are not routed. `active`: they are. " +
        "`failing`: the TXT record is gone; requests are routed for seven more days.",
    }),
    dns: z.array(dnsRecord).meta({
      description:
        "The records to set: the TXT record proves that the host is the account's, the CNAME record leads requests here. " +
        "Where a CNAME record is not possible, address records that lead to the same place do too.",
    }),
    certificate: certificate.nullable().meta({ description: "Null while the server has none for the host." }),
    message: z.string().optional().meta({ description: "What is wrong, or still to be done." }),
    expiresOn: dateTime.optional().meta({ description: "When a pending claim is removed." }),
    checkedOn: dateTime.optional().meta({ description: "When DNS was last looked up." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Domain",
    description: "A host of the account's own that a deployment serves.",
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
    deploymentName: text(300),
  })
  .meta({ id: "DomainCreate" });
