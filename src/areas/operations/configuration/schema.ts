import { z } from "zod";
import { atMost, dateTime, fewMembers, name, secret, text } from "../../../core/schemas/schemas.ts";
import { keyBucketInput } from "../../api-keys/key-buckets/schema.ts";
import { providerModes, providerTypes } from "../../commerce/billing/payments/interface.ts";
import { packInput } from "../../commerce/billing/schemas/pack-schema.ts";
import { billingProfileInput } from "../../commerce/billing/schemas/settings-schema.ts";
import { meteringBucketInput } from "../../commerce/metering-buckets/schema.ts";
import { planInput } from "../../commerce/plans/schema.ts";
import { portalInput } from "../../customer-portal/portal/schema.ts";
import { domainInput } from "../../gateways/domains/schema.ts";
import { variableFields } from "../../gateways/variables/schema.ts";
import { exportInput } from "../exports/schema.ts";
import { webhookInput } from "../webhooks/schema.ts";
import { isGrouped, kindNames } from "./kind.ts";

/** The version of the format. A server rejects a later one. */
export const configurationVersion = 1;

const exampleTime = "2026-01-31T10:00:00.000Z";

/** A dump leaves defaults out, and responses must not add them. The JSON Schema still names them. */
function withoutDefaultValues(schema: z.ZodObject): z.ZodObject {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    if (!(field instanceof z.ZodDefault)) return [name, field];
    const optional = (field.unwrap() as z.ZodType).optional();
    return [name, optional.meta({ ...field.meta(), default: field.def.defaultValue })];
  });
  return z.strictObject(Object.fromEntries(fields));
}

/** Keys of Stripe are secrets, and not part of a configuration. */
const paymentProviderEntry = z.strictObject({ type: z.enum(providerTypes) });
const [live, test] = providerModes;

const meteringBucketFields = meteringBucketInput.unwrap();

// The entries of each kind are what its create operation takes, without the name, which is the member's.
export const keyBucketEntry = keyBucketInput.omit({ name: true });
const meteringBucketEntry = meteringBucketFields.omit({ name: true });
export const planEntry = planInput.omit({ planExternalId: true });
export const packEntry = packInput.omit({ packExternalId: true });
export const webhookEntry = webhookInput.omit({ name: true });
const domainEntry = domainInput.omit({ host: true });
const environmentVariable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable")
  .meta({ description: "The environment variable of the caller that has the value." });

const { issuer, clientId } = portalInput.shape.oidc.unwrap().shape;

/** A portal is named by its key bucket. */
const portalEntry = withoutDefaultValues(
  portalInput.extend({
    oidc: z
      .strictObject({ issuer, clientId, clientSecretFrom: z.strictObject({ env: environmentVariable }) })
      .optional()
      .meta({ description: "The identity provider. The value of its secret is never in the file." }),
  }),
);

const { url, endpoint, region, credential } = exportInput.shape.to.shape;

/** Without `from`: which hours were written is no configuration. */
const exportEntry = exportInput.omit({ name: true, from: true }).extend({
  to: z.strictObject({
    url,
    endpoint,
    region,
    credential: z
      .strictObject({
        accessKeyId: credential.unwrap().shape.accessKeyId,
        secretAccessKeyFrom: z.strictObject({ env: environmentVariable }),
      })
      .optional()
      .meta({ description: "For `s3://`. The value of the secret is never in the file." }),
  }),
});

const { value, environments } = variableFields;

const variableEntry = z
  .strictObject({
    value: value.optional().meta({ description: "The value of a plain variable. At most 32,768 characters." }),
    isSecret: z.boolean().optional().meta({ default: false }),
    valueFrom: z.strictObject({ env: environmentVariable }).optional().meta({
      description: "Where the value of a secret is: never in the file.",
    }),
    environments: environments.optional(),
  })
  .superRefine(({ value, isSecret, valueFrom }, context) => {
    const fail = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (isSecret && value !== undefined) fail("value", "must not be in the file for a secret: use valueFrom");
    else if (isSecret && valueFrom === undefined) fail("valueFrom", "is required for a secret");
    else if (!isSecret && valueFrom !== undefined) fail("valueFrom", "is for secrets: set isSecret");
    else if (!isSecret && value === undefined) fail("value", "is required");
  });

const maxNames = 1000;

function named<Entry>(key: z.ZodType<string, string>, value: z.ZodType<Entry>) {
  // Checks names alone: a dump has as many as the account has.
  return z.preprocess(atMost(Number.POSITIVE_INFINITY, ""), z.record(key, value));
}

/** Bounds what a request may contain, before it is parsed. A dump contains whatever the account has. */
function requireFewNames(value: unknown, context: z.RefinementCtx): unknown {
  const membersOf = (value: unknown) => (typeof value === "object" && value !== null ? Object.entries(value) : []);
  const tooMany = membersOf(value).flatMap(([kind, members]) => [
    ...(membersOf(members).length > maxNames ? [[kind]] : []),
    ...(isGrouped(kind) ? membersOf(members) : [])
      .filter(([, some]) => membersOf(some).length > maxNames)
      .map(([group]) => [kind, group]),
  ]);
  if (tooMany.length === 0) return value;
  for (const path of tooMany)
    context.addIssue({ code: "custom", path, message: `must have at most ${maxNames} members` });
  return z.NEVER;
}

export const configuration = z
  .strictObject({
    $schema: z.string().optional().meta({ description: "The JSON Schema of the file, for editors." }),
    version: z
      .number("must be a number")
      .superRefine((version, context) => {
        if (version === configurationVersion) return;
        const message =
          version > configurationVersion
            ? `is of a newer format than this server supports (${configurationVersion}): upgrade the server`
            : `must be ${configurationVersion}`;
        context.addIssue({ code: "custom", message });
      })
      .meta({ const: configurationVersion }),
    billingProfile: billingProfileInput.optional(),
    paymentProviders: z
      .strictObject({ [live]: paymentProviderEntry.optional(), [test]: paymentProviderEntry.optional() })
      .optional()
      .meta({ description: "How invoices are paid, and those of test buckets. Stripe is set with its keys first." }),
    keyBuckets: named(keyBucketInput.shape.name, keyBucketEntry).optional(),
    meteringBuckets: named(meteringBucketFields.shape.name.unwrap(), meteringBucketEntry).optional(),
    plans: named(meteringBucketFields.shape.name.unwrap(), named(planInput.shape.planExternalId, planEntry))
      .optional()
      .meta({ description: "Plans by metering bucket and planExternalId." }),
    creditPacks: named(meteringBucketFields.shape.name.unwrap(), named(packInput.shape.packExternalId, packEntry))
      .optional()
      .meta({ description: "Credit packs by metering bucket and packExternalId. Price and grant cannot be changed." }),
    webhooks: named(webhookInput.shape.name.unwrap(), webhookEntry).optional(),
    domains: named(domainInput.shape.host, domainEntry).optional().meta({ description: "Custom domains by host." }),
    variables: named(text(128), named(text(128), variableEntry))
      .optional()
      .meta({ description: "Variables of gateway projects by project and name." }),
    portals: named(keyBucketInput.shape.name, portalEntry).optional().meta({ description: "Portals by key bucket." }),
    exports: named(exportInput.shape.name, exportEntry)
      .optional()
      .meta({ description: "Exports by name. Destination, kinds and format cannot be changed." }),
  })
  .meta({
    id: "Configuration",
    description:
      "Resources of an account by kind and name. Kinds that are not mentioned are not touched. A field that is left out " +
      "has its default.",
    examples: [
      {
        version: configurationVersion,
        keyBuckets: { main: { keyPrefix: "acme" } },
        meteringBuckets: { shop: {} },
        plans: { shop: { gold: { label: "Gold", meters: { requests: { max: 100_000 } } } } },
      },
    ],
  });

export type Configuration = z.output<typeof configuration>;

export const configurationDump = z
  .object({
    configuration,
    unnamed: z.partialRecord(z.enum(kindNames), z.int().min(1)).meta({
      description: "How many resources of a kind have no name, and are left out.",
    }),
  })
  .meta({
    id: "ConfigurationDump",
    examples: [{ configuration: { version: configurationVersion, keyBuckets: { main: {} } }, unnamed: {} }],
  });

export const planRequest = z
  .strictObject({
    configuration: z.preprocess(requireFewNames, configuration),
    as: name.optional().meta({ description: "Marks what the apply creates with this name." }),
    prune: z.boolean().default(false).meta({
      description: "Also deletes what an apply with the same `as` created and the configuration no longer has.",
    }),
    secrets: fewMembers(maxNames, z.record(environmentVariable, secret(text(32_768))))
      .optional()
      .meta({ description: "Values of the environment variables that the configuration refers to." }),
  })
  .superRefine(({ as, prune }, context) => {
    if (prune && as === undefined)
      context.addIssue({ code: "custom", path: ["prune"], message: "needs `as`: only what that created is deleted" });
  })
  .meta({ id: "ConfigurationPlanCreate" });

const entry = z.record(z.string(), z.unknown());

const step = z
  .object({
    kind: z.enum(kindNames),
    parent: z
      .string()
      .optional()
      .meta({ description: "The metering bucket of a plan or credit pack, or the project of a variable." }),
    name: z.string(),
    action: z.enum(["create", "update", "delete"]),
    before: entry.optional().meta({ description: "Left out for a new resource." }),
    after: entry.optional().meta({
      description: "Left out for a deleted resource. The value of a secret that changes is `changed`.",
    }),
    notes: z.array(z.string()).optional(),
    affectedSubscriptions: z
      .object({
        total: z.int().min(0),
        data: z.array(z.object({ id: z.string(), customerKey: z.string() })),
      })
      .optional()
      .meta({ description: "The subscriptions that get lower limits; at most 100 are listed." }),
  })
  .meta({ id: "ConfigurationStep" });

export const configurationPlan = z
  .object({
    planId: z.string(),
    status: z.enum(["planned", "applied", "expired"]),
    as: z.string().optional(),
    prune: z.boolean(),
    steps: z.array(step),
    createdOn: dateTime,
    expiresOn: dateTime,
    appliedOn: dateTime.optional(),
  })
  .meta({
    id: "ConfigurationPlan",
    description: "The steps that make an account match a configuration.",
    examples: [
      {
        planId: "cfgp_0QGzNqW81Kx8VhTb3mPcRdZu",
        status: "planned",
        prune: false,
        steps: [{ kind: "keyBuckets", name: "main", action: "create", after: { keyPrefix: "acme" } }],
        createdOn: exampleTime,
        expiresOn: "2026-01-31T10:15:00.000Z",
      },
    ],
  });

export type ConfigurationPlan = z.input<typeof configurationPlan>;
export type ApplyStep = z.input<typeof step>;

export const applyRequest = z
  .strictObject({ planId: text(64) })
  .meta({ id: "ConfigurationApply", examples: [{ planId: "cfgp_0QGzNqW81Kx8VhTb3mPcRdZu" }] });
