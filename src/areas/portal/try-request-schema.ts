import { z } from "zod";
import { text } from "../../core/schemas/schemas.ts";
import { tryRequestInput, tryRequestResponse } from "../deployments/try-requests/schema.ts";

export const portalTryRequestInput = tryRequestInput
  .omit({ key: true })
  .extend({
    deployment: text(200).meta({ description: "One of the portal's deployments." }),
    keyId: z
      .string()
      .regex(/^key_\w{1,64}$/, "must be the id of a key")
      .optional()
      .meta({ description: "The customer's key that the request uses, without its value." }),
  })
  .meta({
    id: "PortalTry",
    examples: [
      {
        deployment: "weather-main-1a2b3c4",
        method: "GET",
        path: "/forecast?city=Bern",
        keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
      },
    ],
  });

/** Another name than that of the management API. */
export const portalTryRequestResponse = z.object(tryRequestResponse.shape).meta({
  id: "PortalTryResponse",
  description: "The response of the API, as data.",
  examples: tryRequestResponse.meta()!.examples as z.output<typeof tryRequestResponse>[],
});
