import { z } from "zod";
import { secret, text } from "../../../core/schemas/schemas.ts";

export const providerStartInput = z
  .strictObject({ to: text(2000).optional().meta({ description: "The path of the portal to open afterwards." }) })
  .meta({ id: "PortalProviderSignInStart", examples: [{ to: "/keys" }] });

export const startedProviderSignIn = z
  .object({ url: secret(z.string().meta({ description: "The address at the identity provider." })) })
  .meta({
    id: "PortalStartedProviderSignIn",
    examples: [{ url: "https://login.acme.example/authorize?client_id=portal&state=w3Kf" }],
  });

export const providerAnswerInput = z
  .strictObject({
    query: secret(
      text(8000).meta({ description: "The query with which the provider sent the browser back, without `?`." }),
    ),
  })
  .meta({ id: "PortalProviderAnswer", examples: [{ query: "code=SplxlOBe&state=w3Kf" }] });
