import { z } from "zod";
import { dateTime, secret, shownName, text } from "../../../core/schemas/schemas.ts";
import { oauthErrorCodes } from "./oauth-error.ts";
import { redirectUriError } from "./redirect-uris.ts";

export const maxRedirectUris = 20;

export const clientName = shownName(80).min(1);

const redirectUri = text(2000).superRefine((uri, context) => {
  const error = redirectUriError(uri);
  if (error !== undefined) context.addIssue({ code: "custom", message: error });
});

const redirectUris = z
  .array(redirectUri)
  .min(1, "must have a redirect address")
  .max(maxRedirectUris, `must have at most ${maxRedirectUris} redirect addresses`)
  .meta({
    description:
      "Where the browser returns to. https, or http with 127.0.0.1, [::1] or localhost. Compared exactly, except the port of a loopback address.",
  });

const name = clientName.meta({ description: "The name of the program, which customers see." });

const clientExample = { name: "Weather CLI", redirectUris: ["http://127.0.0.1/callback"] };

export const clientInput = z.strictObject({ name, redirectUris }).meta({
  id: "OAuthClientInput",
  examples: [clientExample],
});
export type ClientInput = z.output<typeof clientInput>;

export const clientPatch = z
  .strictObject({ name: name.optional(), redirectUris: redirectUris.optional() })
  .meta({ id: "OAuthClientPatch", examples: [{ name: "Weather CLI" }] });
export type ClientPatch = z.output<typeof clientPatch>;

const clientTypes = ["registered", "service", "document", "dynamic"] as const;
export type ClientType = (typeof clientTypes)[number];

const clientFields = {
  id: z.string(),
  clientId: z.string().meta({ description: "The `client_id`: the id, or the URL of the client's metadata document." }),
  type: z.enum(clientTypes).meta({
    description:
      "`registered`: created by you or a customer. `service`: of a customer, with a secret, for requests without a person. " +
      "`document`: known by its metadata document. `dynamic`: registered itself.",
  }),
  name: z.string(),
  redirectUris: z.array(z.string()),
  createdOn: dateTime,
  updatedOn: dateTime,
};

const consumerName = z
  .string()
  .optional()
  .meta({ description: "The customer who created it. Only this customer can authorize it." });

export const client = z.object({ ...clientFields, consumerName }).meta({
  id: "OAuthClient",
  examples: [
    {
      id: "oac_0QGzNqW81Kx8VhTb3mPcRdZu",
      clientId: "oac_0QGzNqW81Kx8VhTb3mPcRdZu",
      type: "registered",
      ...clientExample,
      createdOn: "2026-01-31T10:00:00.000Z",
      updatedOn: "2026-01-31T10:00:00.000Z",
    },
  ],
});

/** A customer creates a service client by leaving `redirectUris` out. */
export const portalClientInput = z
  .strictObject({
    name,
    redirectUris: redirectUris
      .optional()
      .meta({ description: "Left out for a program without a browser, which gets a secret (`client_credentials`)." }),
  })
  .meta({ id: "PortalOAuthClientInput", examples: [{ name: "Nightly import" }] });

export const portalClient = z
  .object({
    ...clientFields,
    clientSecret: secret(z.string().meta({ description: "Of a new service client. Shown once." })).optional(),
  })
  .meta({ id: "PortalOAuthClient" });

const authorizationFields = {
  id: z.string(),
  client: z.object({
    id: z.string(),
    clientId: z.string(),
    name: z.string(),
    type: z.enum(clientTypes),
    host: z.string().optional().meta({ description: "The host of its document, or of the redirect." }),
  }),
  subject: z.string().meta({ description: "Who consented." }),
  permissions: z.array(z.string()),
  deployment: z
    .string()
    .optional()
    .meta({ description: "The deployment of its tokens. A service client has none: it chooses one for each token." }),
  createdOn: dateTime,
  refreshedOn: dateTime.optional().meta({ description: "When its last refresh token was issued." }),
  expiresOn: dateTime.nullable(),
};

const authorizationExample = {
  id: "auth_0QGzNqW81Kx8VhTb3mPcRdZu",
  client: {
    id: "oac_0QGzNqW81Kx8VhTb3mPcRdZu",
    clientId: "oac_0QGzNqW81Kx8VhTb3mPcRdZu",
    name: "Weather CLI",
    type: "registered" as const,
    host: "127.0.0.1:49152",
  },
  subject: "jo@acme.example",
  permissions: ["forecast:read"],
  deployment: "weather-main-1a2b3c4",
  createdOn: "2026-01-31T10:00:00.000Z",
  refreshedOn: "2026-01-31T10:00:05.000Z",
  expiresOn: "2026-03-02T10:00:00.000Z",
};

export const portalAuthorization = z
  .object(authorizationFields)
  .meta({ id: "PortalAuthorization", examples: [authorizationExample] });

export const authorization = z
  .object({ ...authorizationFields, consumer: z.object({ id: z.string(), name: z.string() }) })
  .meta({
    id: "Authorization",
    examples: [{ ...authorizationExample, consumer: { id: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu", name: "acme" } }],
  });

export const authorizationQuery = z.object({
  consumerName: text(128).optional().meta({ description: "Only those of this consumer." }),
  clientId: text(2048).optional().meta({ description: "Only those of the client with this `id`." }),
});

export const rotationInput = z
  .strictObject({
    revokesTokens: z
      .boolean()
      .default(false)
      .meta({ description: "Access tokens that earlier keys signed are rejected at once. For a key that was stolen." }),
  })
  .meta({ id: "OAuthKeyRotation", examples: [{ revokesTokens: false }] });

const query = text(8000).meta({
  description: "The query of the address of the authorization endpoint, without the question mark.",
});

export const consentQuery = z.strictObject({ query }).meta({ id: "OAuthRequestInput" });

export const consentRequest = z
  .object({
    redirectTo: z
      .string()
      .optional()
      .meta({ description: "The request is rejected: where the browser has to go. Nothing else is set then." }),
    client: z.object({ name: z.string(), type: z.enum(clientTypes) }).optional(),
    host: z.string().optional().meta({ description: "The host of the client's document, or of the redirect." }),
    consumer: z.object({ id: z.string(), name: z.string() }).optional(),
    deployment: z.string().optional(),
    permissions: z.array(z.string()).optional(),
    expiresOn: dateTime.optional(),
  })
  .meta({ id: "OAuthConsentRequest" });

export const consentInput = z
  .strictObject({
    query,
    consumerId: text(64).meta({ description: "The customer that the page showed." }),
    isApproved: z.boolean(),
  })
  .meta({ id: "OAuthConsentInput" });

export const consentOutcome = z
  .object({ redirectTo: z.string().meta({ description: "Where the browser has to go." }) })
  .meta({ id: "OAuthConsentOutcome" });

export const serverMetadata = z
  .looseObject({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    jwks_uri: z.string(),
    registration_endpoint: z.string().optional(),
  })
  .meta({ id: "AuthorizationServerMetadata", description: "RFC 8414." });

export const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) }).meta({
  id: "JsonWebKeySet",
  examples: [{ keys: [{ kty: "RSA", use: "sig", alg: "RS256", kid: "q3GzNqW81Kx8VhTb3mPcRdZu", e: "AQAB" }] }],
});

export const tokenForm = z
  .object({
    grant_type: z.enum(["authorization_code", "refresh_token", "client_credentials"]),
    code: secret(z.string()).optional(),
    redirect_uri: z.string().optional(),
    code_verifier: secret(z.string()).optional(),
    refresh_token: secret(z.string()).optional(),
    client_id: z.string().optional(),
    client_secret: secret(z.string()).optional(),
    scope: z.string().optional(),
    resource: z.string().optional(),
  })
  .meta({ id: "OAuthTokenForm" });

export const tokenResponse = z
  .object({
    access_token: secret(z.string()),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
    refresh_token: secret(z.string()).optional(),
    scope: z.string(),
  })
  .meta({ id: "OAuthTokenResponse" });

export const revocationForm = z
  .object({
    token: secret(z.string()),
    token_type_hint: z.string().optional(),
    client_id: z.string().optional(),
    client_secret: secret(z.string()).optional(),
  })
  .meta({ id: "OAuthRevocationForm" });

export const emptyResponse = z.object({});

export const registrationResponse = z.looseObject({ client_id: z.string() }).meta({
  id: "OAuthRegistrationResponse",
  description: "RFC 7591.",
});

export const oauthErrorBody = z
  .object({ error: z.enum(oauthErrorCodes), error_description: z.string() })
  .meta({ id: "OAuthErrorResponse", description: "An error of RFC 6749 or RFC 7591." });
