import { z } from "zod";
import { listableHeaders } from "../../core/artifact/listable-headers.ts";
import { mcpRouteSchema } from "../../core/artifact/mcp-schema.ts";
import { modelsRouteSchema, modelsSchema } from "../../core/artifact/models-schema.ts";
import { upstreamSchema } from "../../core/artifact/upstream-schema.ts";
import { isModulePath, modulePathText } from "./module-path.ts";

const timeoutSeconds = z.number().min(1).max(600);

const forwardHeader = z.string().toLowerCase().pipe(z.enum(listableHeaders));

/** The values of `context.environment`. */
const environment = z.record(
  z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,127}$/, "must be 1 to 128 letters, digits and _, a letter first"),
  z.string().max(32_768, "must be at most 32768 characters"),
);

const policyName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "must be 1 to 64 letters, digits, _, . and -, a letter or digit first");

const policyNames = z.array(z.string()).max(50, "must name at most 50 policies");

const bodyMode = z.enum(["none", "buffer", "stream"]).default("none");

/** The bodies that a policy in code reads. */
export const policyBodiesSchema = z.strictObject({
  request: bodyMode,
  response: bodyMode,
  maxBytes: z
    .number()
    .int()
    .min(1)
    .max(16 * 1024 * 1024, "must be at most 16777216, which is 16 MiB")
    .default(1024 * 1024),
});

/** tollgate.json. */
export const settingsSchema = z.strictObject({
  /** The JSON Schema of the file, for editors. */
  $schema: z.string().optional(),
  upstream: upstreamSchema.optional(),
  policies: z
    .record(
      policyName,
      z.strictObject({
        type: z.string(),
        options: z.unknown().optional(),
        mode: z.enum(["enforce", "observe"], "must be enforce or observe").optional().meta({
          description: "`observe`: a request that the policy rejects goes on, and the rejection is recorded.",
        }),
        unused: z.boolean().optional(),
        body: policyBodiesSchema.optional(),
      }),
    )
    .default({}),
  /** The policies of routes whose `x-tollgate` has none. */
  defaultPolicies: policyNames.optional(),
  /** The production branch; every other one is a preview. */
  productionBranch: z.string().min(1).max(255, "must be at most 255 characters").optional(),
  environment: environment
    .refine((values) => Object.keys(values).length <= 100, "must have at most 100 values")
    .default({}),
  timeoutSeconds: timeoutSeconds.default(30),
  /** The providers and aliases of routes with the handler `models`. */
  models: modelsSchema.optional(),
});

export type ProjectFileSettings = z.output<typeof settingsSchema>;

/** The handler of routes that serve language models. */
export const modelsHandler = "models";
/** The handler of operations that offer others as tools. */
export const mcpHandler = "mcp";
const ownHandlers = [modelsHandler, mcpHandler];

/** `x-tollgate`, of the document, a path or an operation. */
export const routingSchema = z
  .strictObject({
    upstream: upstreamSchema.optional(),
    handler: z
      .string()
      .refine(
        (text) => ownHandlers.includes(text) || isModulePath(text),
        `${modulePathText}, or "${ownHandlers.join('" or "')}"`,
      )
      .optional(),
    models: modelsRouteSchema.optional(),
    mcp: mcpRouteSchema.optional(),
    policies: policyNames.optional(),
    timeoutSeconds: timeoutSeconds.optional(),
    forwardHeaders: z.array(forwardHeader).optional(),
  })
  .refine(({ upstream, handler }) => upstream === undefined || handler === undefined, {
    message: "cannot be combined with upstream",
    path: ["handler"],
  })
  .refine(({ handler, models }) => models === undefined || handler === modelsHandler, {
    message: `has options of "handler": "${modelsHandler}", which must be beside it`,
    path: ["models"],
  })
  .refine(({ handler, mcp }) => mcp === undefined || handler === mcpHandler, {
    message: `has options of "handler": "${mcpHandler}", which must be beside it`,
    path: ["mcp"],
  });

export type Routing = z.output<typeof routingSchema>;
