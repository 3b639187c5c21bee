import { z } from "zod";
import { queryLimit } from "../../../../api/schemas.ts";
import { dateTime, dateTimeInput, secret, text } from "../../../../core/schemas/schemas.ts";
import { request } from "../../../insight/request-log/schema.ts";
import { portalPlans, publicOffer } from "../plans/schema.ts";
import { portalPages, scopes, signUps } from "../schema.ts";

const exampleRequest = z
  .object({
    method: z.string(),
    url: z.string(),
    keyHeader: z.string(),
    keyPrefix: z.string().meta({ description: "The text before the key in the header." }),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .optional()
      .meta({ description: "The other required headers." }),
    body: z.string().optional(),
  })
  .meta({ id: "ExampleRequest", description: "A request that a key may send as it is." });

const pages = z.array(z.enum(portalPages));

const siteExample = {
  title: "Acme Weather",
  hasLogo: false,
  links: [],
  isReferencePublic: false,
  signIn: { mail: true },
  signUp: "open" as const,
  pages: [],
  apis: [],
  plans: [],
};

export const site = z
  .object({
    title: z.string(),
    description: z.string().optional(),
    hasLogo: z.boolean().meta({ description: "Whether `/portal/logo` is an image." }),
    links: z.array(z.object({ label: z.string(), url: z.string() })),
    signIn: z.object({
      mail: z.boolean().meta({ description: "Whether people sign in by mail." }),
      provider: z.string().optional().meta({ description: "The host of the identity provider, if there is one." }),
    }),
    signUp: z.enum(signUps),
    termsUrl: z.string().optional(),
    isReferencePublic: z.boolean().meta({ description: "Whether the documentation needs no session." }),
    pages: pages.meta({ description: "The pages that need no session and have something to show." }),
    apis: z
      .array(
        z.object({
          title: z.string(),
          description: z.string().optional(),
          url: z.string(),
          page: z.string().optional().meta({ description: "The path of its documentation." }),
          example: exampleRequest.optional(),
        }),
      )
      .meta({ description: "Empty unless the documentation needs no session." }),
    plans: z.array(publicOffer).meta({
      description: "Public plans, and all that customers can choose if everyone can sign up.",
    }),
  })
  .meta({
    id: "PortalSite",
    description: "What everyone may know of the portal.",
    examples: [siteExample],
  });

export const portalPreview = z
  .object({
    site,
    pages: pages.meta({ description: "The pages that a new customer sees, beside the start page." }),
    plans: portalPlans
      .pick({ data: true, paysOnline: true, taxBehavior: true })
      .meta({ description: "The plans, as a new customer sees them." }),
    style: z.string().meta({ description: "A style sheet with the accent colours of both themes. Empty without one." }),
    icon: z.string().meta({ description: "The icon of a portal without a logo, as SVG." }),
  })
  .meta({
    id: "PortalPreview",
    description: "What the pages of a portal with some settings begin with.",
    examples: [
      { site: siteExample, pages: ["keys"], plans: { data: [], paysOnline: false }, style: "", icon: "<svg>…</svg>" },
    ],
  });

const handoffCode = secret(text(100).meta({ description: "From the fragment of the hand-off's address." }));
const handoffExample = { code: "tgh_0123456789abcdef0123456789abcdef_7759b50e" };

export const handoffCodeInput = z
  .strictObject({ code: handoffCode })
  .meta({ id: "PortalHandoffCode", examples: [handoffExample] });

export const handoffCustomer = z
  .object({
    consumer: z.object({ name: z.string() }),
    session: z
      .enum(["none", "same", "other"])
      .meta({ description: "Whether the browser has a session: none, one of this customer, or of another one." }),
  })
  .meta({ id: "PortalHandoffCustomer", examples: [{ consumer: { name: "acme" }, session: "none" as const }] });

export const portalSessionInput = z
  .strictObject({
    code: handoffCode,
    replacesSession: z.boolean().default(false).meta({ description: "Ends the session of another customer." }),
  })
  .meta({
    id: "PortalSignIn",
    examples: [handoffExample],
  });

export const session = z
  .object({
    consumer: z.object({ name: z.string().meta({ description: "The name that the customer gave, if any." }) }),
    subject: z.string(),
    scopes: z.array(z.enum(scopes)),
    pages: pages.meta({ description: "The pages that the session may open and that have something to show." }),
    isManager: z.boolean().meta({ description: "Whether a manager signed in, and not through a hand-off." }),
    suspension: z
      .object({ reason: z.string().optional() })
      .optional()
      .meta({ description: "Present while the customer is suspended: it can read and pay, and change nothing." }),
    isByProvider: z.boolean().meta({ description: "Whether the manager signed in with the identity provider." }),
    isView: z.boolean().meta({ description: "Whether the business views the portal as the customer." }),
    returnUrl: z.string().optional(),
    expiresOn: dateTime,
  })
  .meta({
    id: "PortalSession",
    examples: [
      {
        consumer: { name: "acme" },
        subject: "user-4711",
        scopes: ["keys:read", "keys:write"],
        pages: ["docs", "keys"],
        isManager: true,
        isByProvider: false,
        isView: false,
        expiresOn: "2026-01-31T22:00:00.000Z",
      },
    ],
  });

const keyExample = {
  id: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
  description: "production",
  createdOn: "2026-01-31T10:00:00.000Z",
  expiresOn: null,
  isEnabled: true,
  lastUsedOn: null,
};

export const portalKey = z
  .object({
    id: z.string(),
    description: z.string().optional(),
    createdOn: dateTime,
    expiresOn: dateTime.nullable(),
    isEnabled: z.boolean(),
    lastUsedOn: dateTime.nullable(),
    permissions: z.array(z.string()).optional(),
    allowedIps: z.array(z.string()).optional(),
    key: secret(z.string().meta({ description: "The value once, when it is created; else its last characters." })),
  })
  .meta({ id: "PortalKey", examples: [{ ...keyExample, key: "****1b2c3d4e" }] });

export const createdKeyExample = { ...keyExample, key: "tg_0123456789abcdef0123456789abcdef_7759b50e" };

export const portalKeys = z
  .object({
    data: z.array(portalKey).meta({ description: "At most 1,000, in the order of creation." }),
    keyLimit: z.int(),
    isLimitReached: z.boolean().meta({ description: "Whether a key must be deleted before another can be created." }),
  })
  .meta({
    id: "PortalKeys",
    examples: [{ data: [{ ...keyExample, key: "****1b2c3d4e" }], keyLimit: 10, isLimitReached: false }],
  });

const keyName = text(200).meta({ description: "At most 200 characters." });

export const portalKeyInput = z
  .strictObject({ description: keyName.optional(), expiresOn: dateTimeInput.nullable().optional() })
  .meta({ id: "PortalKeyCreate", examples: [{ description: "production" }] });

export const portalKeyPatch = z
  .strictObject({ description: keyName.nullable().optional(), isEnabled: z.boolean().optional() })
  .meta({ id: "PortalKeyUpdate", examples: [{ isEnabled: false }] });

/** The longest time for which an old key may work beside its successor. */
const maxGraceDays = 30;

export const portalRollInput = z
  .strictObject({
    graceHours: z
      .number()
      .min(0, `must be from 0 to ${maxGraceDays * 24}`)
      .max(maxGraceDays * 24, `must be from 0 to ${maxGraceDays * 24}`)
      .meta({ description: "How long the old key keeps working; 0 ends it at once." }),
  })
  .meta({ id: "PortalKeyRoll", examples: [{ graceHours: 24 }] });

const meter = z.object({
  label: z.string().optional(),
  used: z.number(),
  max: z.number(),
  forecast: z.number().optional().meta({ description: "What the period will end at if usage continues as lately." }),
  points: z.array(z.object({ time: dateTime, used: z.number() })).meta({ description: "By day." }),
});

const modelUse = z.object({
  model: z.string(),
  requests: z.int(),
  input: z.int().meta({ description: "Tokens of input, without those that are cached or written to a cache." }),
  cached: z.int(),
  cacheWrite: z.int(),
  output: z.int().meta({ description: "Tokens of output, including reasoning." }),
  charge: z
    .object({ currency: z.string(), amount: z.string() })
    .nullable()
    .meta({ description: "What meters of costs have counted. Null if the model has no price." }),
});

export const usage = z
  .object({
    subscription: z
      .object({
        status: z.string(),
        plans: z.array(z.string()).meta({ description: "The labels of its plans." }),
        periodStart: dateTime,
        periodEnd: dateTime.meta({ description: "When the quotas reset." }),
      })
      .nullable()
      .meta({ description: "Null if the customer has no active subscription." }),
    unpaidPlans: z.array(z.string()).optional().meta({
      description: "The labels of the plans that a payment makes active again, if no subscription is active.",
    }),
    meters: z.record(z.string(), meter),
    models: z
      .object({ from: dateTime, data: z.array(modelUse) })
      .meta({ description: "Requests to language models in the last 30 days. Empty if there were none." }),
  })
  .meta({
    id: "PortalUsage",
    examples: [
      {
        subscription: {
          status: "active",
          plans: ["Gold"],
          periodStart: "2026-01-31T10:00:00.000Z",
          periodEnd: "2026-02-28T10:00:00.000Z",
        },
        meters: {
          requests: {
            label: "Requests",
            used: 1200,
            max: 100000,
            forecast: 33600,
            points: [{ time: "2026-01-31T10:00:00.000Z", used: 1200 }],
          },
        },
        models: {
          from: "2026-01-02T00:00:00.000Z",
          data: [
            {
              model: "small",
              requests: 120,
              input: 52000,
              cached: 18000,
              cacheWrite: 0,
              output: 9100,
              charge: { currency: "USD", amount: "1.5" },
            },
          ],
        },
      },
    ],
  });

export const requestsQuery = z.strictObject({
  outcome: z
    .enum(["failed"], "must be failed")
    .optional()
    .meta({ description: "`failed`: only requests with a status of 400 or more." }),
  before: z
    .string()
    .regex(/^req_[0-9A-Za-z]{24}$/, "must be the id of a request")
    .optional()
    .meta({ description: "Only requests before the one with this id: the last of the page before." }),
  limit: queryLimit(50, "How many of the newest requests to return."),
});

/** Without what only concerns the business: addresses of upstreams, errors of code, other policies. */
const portalRequest = request
  .pick({
    id: true,
    time: true,
    requestId: true,
    method: true,
    path: true,
    status: true,
    durationMs: true,
    keyId: true,
    ip: true,
    code: true,
    detail: true,
    decisions: true,
  })
  .extend({ api: z.string().meta({ description: "The title of the API." }) })
  .meta({
    id: "PortalRequest",
    examples: [
      {
        id: "req_0QGzNqW81Kx8VhTb3mPcRdZu",
        time: "2026-11-15T10:00:00.000Z",
        requestId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
        method: "GET",
        path: "/orders",
        status: 200,
        durationMs: 12.1,
        decisions: [],
        api: "Orders",
      },
    ],
  });

export const portalRequests = z
  .object({ data: z.array(portalRequest) })
  .meta({ id: "PortalRequests", examples: [{ data: [] }] });

const agentAddress = z
  .object({
    url: z.string(),
    title: z.string(),
    keyHeader: z.string().optional().meta({ description: "The header of a key. Omitted if no key is accepted." }),
    keyPrefix: z.string().optional().meta({ description: "The text before the key in the header." }),
    hasSignIn: z.boolean().meta({ description: "Whether agents can sign the customer in at this portal." }),
  })
  .meta({ id: "PortalAgentAddress", description: "An address that offers tools to agents." });

export const apis = z
  .object({
    data: z.array(
      z.object({
        title: z.string(),
        url: z.string(),
        example: exampleRequest.optional(),
        agents: z.array(agentAddress).optional(),
      }),
    ),
  })
  .meta({
    id: "PortalApis",
    examples: [
      {
        data: [
          {
            title: "Orders",
            url: "https://orders-main-1a2b3c4.api.example.com",
            example: {
              method: "GET",
              url: "https://orders-main-1a2b3c4.api.example.com/orders",
              keyHeader: "Authorization",
              keyPrefix: "Bearer ",
            },
          },
        ],
      },
    ],
  });
