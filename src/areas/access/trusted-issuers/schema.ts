import { z } from "zod";
import { environmentTypes } from "../../../core/access.ts";
import { dateTime, fewMembers, secret, someOf, text } from "../../../core/schemas/schemas.ts";
import { isIssuer } from "../../../platform/jwt/issuer.ts";
import { isBare } from "./patterns.ts";

/** At most `editor`: a token of a CI service must not create credentials. */
export const issuerRoles = ["editor", "reader", "billing", "verifier"] as const;
export type IssuerRole = (typeof issuerRoles)[number];

const issuer = text(2048)
  .refine(isIssuer, "must be an https URL without credentials, query and fragment (http only for loopback)")
  .meta({ description: "Of the tokens, exactly. Its discovery document names the keys." });

const pattern = text(1024)
  .min(1)
  .refine((value) => value === "" || !isBare(value), "must not be a bare *, which every token matches");

const patterns = z.union(
  [pattern, z.array(pattern).min(1, "must have at least one item").max(20, "must have at most 20 items")],
  "must be a pattern or a list of patterns",
);

const claimName = text(256).min(1);

const claims = fewMembers(20, z.record(claimName, patterns)).meta({
  description: "Further claims, each with a pattern or several. A list in the token matches with one item.",
});

const audience = text(1024).min(1).meta({
  description: "One of the token's `aud`. By default `<public URL>/v1/accounts/<account>`.",
});

const subject = pattern.meta({
  description: "A pattern of the token's `sub`, such as `repo:acme/shop:*`: `*` is any text, and all else is literal.",
});

const role = z.enum(issuerRoles).meta({ description: "The role of the tokens, at most `editor`." });
const project = text(128).min(1).meta({ description: "Limits the tokens to this project." });
const branchClaim = claimName.meta({
  description:
    "The claim that names the branch, which is then the only one, such as `head_ref` or `ref`. `refs/heads/` is removed; " +
    "other refs, such as tags, are rejected.",
});

const environments = someOf(environmentTypes).meta({
  description: "The environments of the deployments that the tokens may read and change.",
});

export const trustedIssuerInput = z
  .strictObject({
    issuer,
    audience: audience.optional(),
    subject,
    claims: claims.optional(),
    role,
    project: project.optional(),
    environments: environments.default(["PREVIEW"]),
    branchClaim: branchClaim.optional(),
  })
  .meta({
    id: "TrustedIssuerCreate",
    examples: [
      {
        issuer: "https://token.actions.githubusercontent.com",
        subject: "repo:acme/shop:pull_request",
        role: "editor",
        project: "shop",
        branchClaim: "head_ref",
      },
    ],
  });

export const trustedIssuerPatch = z
  .strictObject({
    audience: audience.nullable().optional(),
    subject: subject.optional(),
    claims: claims.nullable().optional(),
    role: role.optional(),
    project: project.nullable().optional(),
    environments: environments.optional(),
    branchClaim: branchClaim.nullable().optional(),
  })
  .meta({ id: "TrustedIssuerUpdate", examples: [{ subject: "repo:acme/shop:*" }] });

const claimsOutput = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export const trustedIssuer = z
  .object({
    id: z.string(),
    issuer: z.string(),
    audience: z.string(),
    subject: z.string(),
    claims: claimsOutput.optional(),
    role: z.enum(issuerRoles),
    project: z.string().optional(),
    environments: z.array(z.enum(environmentTypes)),
    branchClaim: z.string().optional(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "TrustedIssuer",
    description: "An identity provider, such as a CI service, whose tokens are exchanged for tokens of this API.",
    examples: [
      {
        id: "trst_0QGzNqW81Kx8VhTb3mPcRdZu",
        issuer: "https://token.actions.githubusercontent.com",
        audience: "https://tollgate.acme.example/v1/accounts/default",
        subject: "repo:acme/shop:pull_request",
        role: "editor",
        project: "shop",
        environments: ["PREVIEW"],
        branchClaim: "head_ref",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export type TrustedIssuerInput = z.output<typeof trustedIssuerInput>;
export type TrustedIssuerChanges = z.output<typeof trustedIssuerPatch>;

export const accessTokenType = "urn:ietf:params:oauth:token-type:access_token" as const;
export const exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange";
export const subjectTokenTypes = ["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"];

export const exchangeForm = z
  .object({
    grant_type: z.literal(exchangeGrant),
    subject_token: secret(z.string().meta({ description: "The provider's token: a JWT." })),
    subject_token_type: z.enum(subjectTokenTypes),
    requested_token_type: z.literal(accessTokenType).optional(),
    audience: z.string().optional().meta({
      description: "`<public URL>/v1/accounts/<account>`, if trusted issuers of several accounts accept the token.",
    }),
  })
  .meta({
    id: "TokenExchange",
    examples: [
      {
        grant_type: exchangeGrant,
        subject_token: "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.e30.c2lnbmF0dXJl",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      },
    ],
  });

export const exchangedToken = z
  .object({
    access_token: secret(z.string().meta({ description: "A token of this API." })),
    issued_token_type: z.literal(accessTokenType),
    token_type: z.literal("Bearer"),
    expires_in: z.int().meta({ description: "Seconds." }),
    scope: z.string().meta({ description: "The role of the token." }),
  })
  .meta({
    id: "ExchangedToken",
    examples: [
      {
        access_token: "tgt_0123456789abcdef0123456789abcdef_7759b50e",
        issued_token_type: accessTokenType,
        token_type: "Bearer",
        expires_in: 900,
        scope: "editor",
      },
    ],
  });

export const oauthErrorCodes = [
  "invalid_request",
  "invalid_grant",
  "invalid_target",
  "unsupported_grant_type",
  "temporarily_unavailable",
] as const;

export const oauthError = z
  .object({ error: z.enum(oauthErrorCodes), error_description: z.string() })
  .meta({ id: "OAuthError", description: "An error of RFC 6749, section 5.2." });
