import { z } from "zod";
import { portalScopes } from "../../../core/portal-scopes.ts";
import { dateTime, email, mailedName, name, plainName, secret, someOf, text } from "../../../core/schemas/schemas.ts";
import { isLoopbackHost } from "../../../lib/network/hosts.ts";
import { isIssuer, isMultiTenant } from "../../../platform/jwt/issuer.ts";
import { lineBreaksAndControls, mailTexts } from "../../common/mail/schema.ts";
import { parseLogo } from "./logo.ts";

export const scopes = portalScopes;

/** The pages of a portal beside its start page, in the order of its navigation. */
export const portalPages = [
  "docs",
  "keys",
  "programs",
  "agents",
  "usage",
  "requests",
  "plans",
  "credit",
  "invoices",
  "people",
] as const;
export type PortalPage = (typeof portalPages)[number];

const maxEntries = 20;
export const signUps = ["closed", "domains", "approval", "open"] as const;

const domain = text(253)
  .transform((value) => value.toLowerCase())
  .refine((value) => /^([a-z0-9-]+\.)+[a-z0-9-]+$/.test(value), "must be a domain, such as acme.example");

/** Pages link to it, so it must not be a script. */
const webUrl = text(2000).refine((value) => isWebUrl(value), "must be an http or https URL without a user or password");

function isWebUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}

const origin = text(300)
  .refine(
    (value) => isWebUrl(value) && new URL(value).origin === value,
    "must be an origin, such as https://app.example.com",
  )
  .refine(
    (value) => !value.startsWith("http:") || !URL.canParse(value) || isLoopbackHost(new URL(value).hostname),
    "must use https, except for localhost",
  );

const issuer = text(2048)
  .refine(isIssuer, "must be an https URL without credentials, query and fragment (http only for loopback)")
  .refine(
    (value) => !isIssuer(value) || !isMultiTenant(value),
    "must name one tenant, such as https://login.microsoftonline.com/<tenant id>/v2.0",
  )
  .meta({ description: "Compared exactly with what the provider names in its discovery document and its tokens." });
const clientId = text(256).min(1);

const providerDescription =
  "The OpenID Connect provider that customers sign in with. A manager's `sub` is then the provider's. Redirect address: " +
  "`<url>/sign-in/provider/callback`.";

const oidcInput = z
  .strictObject({
    issuer,
    clientId,
    clientSecret: secret(
      text(1024).min(1).meta({
        description: "Never returned. If left out, it stays as it is, as long as `issuer` and `clientId` stay.",
      }),
    ).optional(),
  })
  .meta({ description: providerDescription });

const registrations = ["closed", "metadata", "open"] as const;
const minutes = "must be an integer from 1 to 1440";
const days = "must be an integer from 1 to 365";

const oauth = z
  .strictObject({
    isEnabled: z
      .boolean()
      .default(true)
      .meta({ description: "While it is false, no token is issued, and none is accepted." }),
    registration: z
      .enum(registrations, `must be one of ${registrations.join(", ")}`)
      .default("closed")
      .meta({
        description:
          "`closed`: only clients that you or your customers create. `metadata`: also clients whose `client_id` is the URL of a metadata document. " +
          "`open`: also clients that register themselves (RFC 7591).",
      }),
    accessTokenMinutes: z
      .int(minutes)
      .min(1, minutes)
      .max(1440, minutes)
      .default(15)
      .meta({ description: "How long an access token is valid." }),
    refreshDays: z
      .int(days)
      .min(1, days)
      .max(365, days)
      .default(30)
      .meta({ description: "How long an authorization lasts. Then the customer must consent again." }),
  })
  .meta({ description: "Programs get access for a customer by OAuth instead of a key. Off if it is left out." });
export type OAuthSettings = z.output<typeof oauth>;

const logo = z
  .string()
  .superRefine((value, context) => {
    const parsed = parseLogo(value);
    if (typeof parsed === "string") context.addIssue({ code: "custom", message: parsed });
  })
  .meta({ description: "A PNG, JPEG or WebP image of at most 256 KiB, as a data URL: `data:image/png;base64,…`." });

const settings = {
  isEnabled: z.boolean().default(true).meta({ description: "Whether the portal is served." }),
  host: text(253)
    .optional()
    .meta({
      description:
        "The host of a verified custom domain of the account, which the portal then serves instead of the domain's deployments. " +
        "Without it, the host is derived from `TOLLGATE_PORTAL_URL`.",
    }),
  title: text(80)
    .min(1)
    .refine((title) => !lineBreaksAndControls.test(title), "must be one line without control characters")
    .meta({ description: "The name of the API or the business." }),
  description: text(300).optional().meta({ description: "What the API does, in one sentence." }),
  logo: logo.optional(),
  accentColor: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, "must be a colour such as #0b6b68")
    .optional()
    .meta({ description: "The colour of buttons and links. It is adjusted where its contrast would be too low." }),
  deployments: z
    .array(name)
    .max(maxEntries, `must name at most ${maxEntries} deployments`)
    .default([])
    .meta({ description: "The deployments whose addresses and requests customers see." }),
  signUp: z
    .enum(signUps, `must be one of ${signUps.join(", ")}`)
    .default("closed")
    .meta({
      description:
        "`closed`: customers cannot create an account. `domains`: people with an address of `allowedDomains` can. `approval`: people request access, and you approve. `open`: everybody can.",
    }),
  allowedDomains: z
    .array(domain)
    .max(maxEntries, `must hold at most ${maxEntries} domains`)
    .optional()
    .meta({ description: "The domains of addresses that may sign up, if `signUp` is `domains`." }),
  signUpPlan: text(128).min(1).optional().meta({
    description: "The `planExternalId` of the plan that new customers are subscribed to, in `meteringBucket`.",
  }),
  recommendedPlan: text(128).min(1).optional().meta({
    description: "The `planExternalId` of the plan that is marked as recommended, in `meteringBucket`.",
  }),
  plans: z.array(text(256).min(1)).max(maxEntries, `must name at most ${maxEntries} plans`).optional().meta({
    description:
      "The `planExternalId` of each plan that customers can choose, in order. Without it, the public plans of `meteringBucket`, by `position`.",
  }),
  meteringBucket: text(128)
    .optional()
    .meta({ description: "The id or name of the metering bucket whose subscriptions customers see." }),
  keyLimit: z
    .int("must be an integer from 1 to 1000")
    .min(1, "must be an integer from 1 to 1000")
    .max(1000, "must be an integer from 1 to 1000")
    .default(10)
    .meta({ description: "How many keys a customer may have. Expired keys do not count." }),
  returnOrigins: z
    .array(origin)
    .max(maxEntries, `must hold at most ${maxEntries} origins`)
    .optional()
    .meta({ description: "The origins of your own site that a `returnUrl` may lead to." }),
  termsUrl: webUrl.optional().meta({ description: "A link to your terms, in the footer." }),
  isReferencePublic: z
    .boolean()
    .default(false)
    .meta({ description: "Whether everyone may read the reference and the guides, or only signed-in customers." }),
  oauth: oauth.optional(),
  mails: mailTexts.optional(),
  links: z
    .array(z.strictObject({ label: text(40).min(1), url: webUrl }))
    .max(10, "must hold at most 10 links")
    .optional()
    .meta({ description: "Links on the start page and in the footer, such as a guide or a status page." }),
};

const example = {
  isEnabled: true,
  title: "Acme Weather",
  description: "Forecasts for every place on earth, as an API.",
  accentColor: "#2456d6",
  deployments: [],
  signUp: "closed" as const,
  keyLimit: 10,
  isReferencePublic: true,
  returnOrigins: ["https://app.acme.example"],
  links: [{ label: "Status", url: "https://status.acme.example" }],
};

export const portalInput = z
  .strictObject({ ...settings, oidc: oidcInput.optional() })
  .meta({ id: "PortalUpdate", examples: [example] });
export type PortalInput = z.output<typeof portalInput>;

const { title, description, accentColor, deployments, signUp, plans, meteringBucket } = settings;
const { termsUrl, isReferencePublic, oauth: programs, links } = settings;
export const portalPreviewInput = z
  .strictObject({
    ...{ title, description, accentColor, deployments, signUp, plans, meteringBucket },
    ...{ termsUrl, isReferencePublic, oauth: programs, links },
    issuer: issuer.optional().meta({ description: "The issuer of the OpenID Connect provider." }),
  })
  .meta({
    id: "PortalPreviewCreate",
    description: "The settings that are visible on the pages of a portal.",
    examples: [{ title: "Acme Weather", accentColor: "#2456d6", signUp: "open", isReferencePublic: true }],
  });
export type PortalPreviewInput = z.output<typeof portalPreviewInput>;

export const portal = z
  .object({
    id: z.string(),
    ...settings,
    allowedDomains: z
      .array(z.string())
      .optional()
      .meta({ description: "The domains of addresses that may sign up, if `signUp` is `domains`." }),
    oidc: oidcInput.omit({ clientSecret: true }).optional().meta({ description: providerDescription }),
    url: z.string().meta({ description: "The address of the portal." }),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: "What is missing before customers can buy the plans with a price." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Portal",
    description: "The site where the customers of a key bucket help themselves.",
    examples: [
      {
        id: "prtl_0QGzNqW81Kx8VhTb3mPcRdZu",
        ...example,
        url: "https://main-1a2b3c4.portal.example.com",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const listedPortal = z
  .object({
    id: z.string(),
    bucketName: z.string(),
    title: z.string(),
    isEnabled: z.boolean(),
    url: z.string().meta({ description: "The address of the portal." }),
  })
  .meta({
    id: "ListedPortal",
    examples: [
      {
        id: "prtl_0QGzNqW81Kx8VhTb3mPcRdZu",
        bucketName: "main",
        title: "Acme Weather",
        isEnabled: true,
        url: "https://main-1a2b3c4.portal.example.com",
      },
    ],
  });

const consumerName = plainName.meta({ description: "The customer: a consumer of the bucket." });

export const handoffInput = z
  .strictObject({
    consumerName,
    subject: text(256)
      .min(1)
      .meta({ description: "Who is signed in at your site. The audit log shows it as the actor." }),
    scopes: someOf(scopes).meta({ description: "What the session may do: never more than your token." }),
    returnUrl: webUrl.optional().meta({ description: "Where the portal leads back to. Within `returnOrigins`." }),
  })
  .meta({
    id: "PortalSessionCreate",
    examples: [
      {
        consumerName: "acme",
        subject: "user-4711",
        scopes: ["keys:read", "keys:write", "usage:read", "requests:read"],
      },
    ],
  });
export type HandoffInput = z.output<typeof handoffInput>;

export const viewInput = z
  .strictObject({ consumerName })
  .meta({ id: "PortalView", examples: [{ consumerName: "acme" }] });

export const handoff = z
  .object({
    url: secret(z.string().meta({ description: "Open it in the customer's browser. It works once." })),
    expiresOn: dateTime.meta({ description: "After two minutes." }),
  })
  .meta({
    id: "PortalHandoff",
    description: "An address that opens a session in the portal.",
    examples: [
      {
        url: "https://main-1a2b3c4.portal.example.com/sign-in#code=tgh_0123456789abcdef0123456789abcdef_7759b50e",
        expiresOn: "2026-01-31T10:02:00.000Z",
      },
    ],
  });

export const funnelStages = ["signed-up", "key-created", "active", "stopped"] as const;

export const funnel = z
  .object({
    signedUp: z.int().meta({ description: "Customers who signed up and still exist." }),
    createdKey: z.int().meta({ description: "Of these, those with a key." }),
    succeeded: z.int().meta({ description: "Those whose requests succeeded at least once." }),
    active: z.int().meta({ description: "Those with a successful request in the last 30 days." }),
    stopped: z.int().meta({ description: "Those whose last successful request is older." }),
    data: z
      .array(
        z.object({
          consumerName: z.string(),
          email: z.string(),
          name: z.string().optional().meta({ description: "The name that they entered." }),
          stage: z.enum(funnelStages),
          signedUpOn: dateTime,
          firstKeyOn: dateTime.optional().meta({ description: "When the oldest key that exists was created." }),
          firstSuccessOn: dateTime.optional().meta({ description: "The day of the first successful request." }),
          lastSuccessOn: dateTime.optional(),
        }),
      )
      .meta({ description: "At most 100, the newest first." }),
  })
  .meta({
    id: "PortalFunnel",
    description: "How far the customers who signed up have come.",
    examples: [
      {
        signedUp: 1,
        createdKey: 1,
        succeeded: 0,
        active: 0,
        stopped: 0,
        data: [
          {
            consumerName: "customer-3f9a1c0b52e84d67",
            email: "jo@acme.example",
            name: "Acme",
            stage: "key-created",
            signedUpOn: "2026-01-31T10:00:00.000Z",
            firstKeyOn: "2026-01-31T10:00:00.000Z",
          },
        ],
      },
    ],
  });

export const funnelQuery = z.object({
  stage: z.enum(funnelStages, `must be one of ${funnelStages.join(", ")}`).optional(),
});

export const accessStates = ["pending", "approved", "denied"] as const;

export const accessRequestInput = z
  .strictObject({
    email,
    name: mailedName(80).min(1).optional(),
    note: text(500).min(1).optional(),
  })
  .meta({ id: "AccessRequestCreate", examples: [{ email: "jo@acme.example", name: "Acme" }] });

export const accessRequest = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().optional().meta({ description: "The company or the person, as they wrote it." }),
    note: z.string().optional().meta({ description: "What they wrote to you." }),
    state: z.enum(accessStates),
    consumerName: z.string().optional().meta({ description: "The consumer that the approval created." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "AccessRequest",
    description: "A person asks for access to a portal.",
    examples: [
      {
        id: "preq_0QGzNqW81Kx8VhTb3mPcRdZu",
        email: "jo@acme.example",
        name: "Acme",
        state: "pending",
        createdOn: "2026-01-31T10:00:00.000Z",
        updatedOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });
