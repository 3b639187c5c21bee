import { z } from "zod";
import { headerName, headerValue } from "../../../../core/http/header-names.ts";
import { fewMembers, name, plainName, secret } from "../../../../core/schemas/schemas.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** Set by the server, or meaningless without a connection of its own. */
const ownHeaders =
  /^(?:host|content-length|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|x-forwarded-.*|x-request-id)$/i;

export const tryRequestInput = z
  .strictObject({
    method: z.enum(methods, `must be one of ${methods.join(", ")}`),
    path: z
      .string()
      .max(8192, "must have at most 8192 characters")
      .regex(/^\/[!-~]*$/, "must begin with / and have no blanks; other characters are percent-encoded")
      .meta({ description: "Path and query, such as `/orders/7?expand=lines`." }),
    headers: fewMembers(
      50,
      z.record(
        headerName.refine((header) => !ownHeaders.test(header), "is set by the server"),
        secret(headerValue),
      ),
      "headers",
    ).optional(),
    body: secret(z.string()).optional().meta({ description: "Sent as UTF-8." }),
    key: z
      .strictObject({
        bucketName: name,
        consumerName: plainName,
        keyId: z.string().regex(/^key_\w{1,64}$/, "must be the id of a key"),
      })
      .optional()
      .meta({
        description:
          "The request uses this key without its value: policies that authenticate by keys of its bucket accept it without a " +
          "header. Its use is recorded in the audit log.",
      }),
  })
  .meta({ id: "DeploymentTry" });

export const tryRequestResponse = z
  .object({
    status: z.int(),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .meta({ description: "In the order of the response, without cookies." }),
    body: z.string(),
    bodyEncoding: z.enum(["utf-8", "base64"]).meta({ description: "`base64` if the body is not text." }),
    isTruncated: z.boolean().meta({ description: "Whether the body was truncated after 1 MiB or 30 seconds." }),
    durationMs: z.number().meta({ description: "The time until the first byte of the response." }),
    requestId: z.string().meta({ description: "The `x-request-id` of the request, by which its record is found." }),
  })
  .meta({
    id: "DeploymentTryResponse",
    description: "The response of the deployment, as data.",
    examples: [
      {
        status: 200,
        headers: [{ name: "content-type", value: "application/json" }],
        body: '{"id":7}',
        bodyEncoding: "utf-8",
        isTruncated: false,
        durationMs: 12.5,
        requestId: "6f1c8a52-0f0e-4f0a-9a57-0d2a1c3b4e5f",
      },
    ],
  });
