import { z } from "zod";
import { queryBoolean, queryLimit } from "../../../api/schemas.ts";
import { dateTime, dateTimeInput, isOrdered, notOrdered, text } from "../../../core/schemas/schemas.ts";

const requestIdPattern = /^req_[0-9A-Za-z]{24}$/;

const requestParameters = z.strictObject({
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)$/, "must be a status such as 429, or a class such as 4xx")
    .transform((value): [number, number] =>
      value.endsWith("xx") ? [Number(value[0]) * 100, Number(value[0]) * 100 + 99] : [Number(value), Number(value)],
    )
    .optional()
    .meta({ description: "A status, such as `429`, or a class, such as `4xx`.", examples: ["4xx"] }),
  method: z
    .string()
    .regex(/^[A-Za-z]{1,20}$/, "must be a method such as GET")
    .transform((value) => value.toUpperCase())
    .optional(),
  route: text(1024).optional().meta({
    description: "The path template of the route, such as `/orders/{id}`, or `unknown` for paths without a route.",
  }),
  consumer: text(256).optional().meta({ description: "The name of the consumer; empty for requests without one." }),
  consumerId: text(64)
    .optional()
    .meta({ description: "The id of the consumer: consumers of different key buckets may have the same name." }),
  requestId: text(128).optional().meta({ description: "The `x-request-id` of the request." }),
  q: text(256)
    .refine((value) => value !== "", "must not be empty")
    .optional()
    .meta({ description: "Text in the path." }),
  observed: text(64)
    .refine((value) => value !== "", "must be true, or the name of a policy")
    .optional()
    .meta({
      description: "Only requests that a policy in `observe` would have rejected: `true`, or one policy by name.",
    }),
  from: dateTimeInput.optional().meta({ description: "Only requests since this time." }),
  to: dateTimeInput.optional().meta({ description: "Only requests before this time." }),
  before: z
    .string()
    .regex(requestIdPattern, "must be the id of a request, such as req_0QGzNqW81Kx8VhTb3mPcRdZu")
    .optional()
    .meta({
      description: "Only requests before the one with this id. For the next page, use the last id of the previous one.",
    }),
  limit: queryLimit(100, "The number of newest requests to return; values over 1000 become 1000."),
  follow: queryBoolean
    .default(false)
    .meta({ description: "Returns new requests as server-sent events until the client disconnects." }),
});

export const requestQuery = requestParameters.refine(isOrdered, notOrdered);

export type RequestQuery = z.output<typeof requestQuery>;

/** Which members are present depends on the reason. */
export const detail = z
  .object({
    reason: z.string().meta({ description: "Stable, snake_case." }),
    // api-key: the header of keys, the masked key, and its holder if that is known.
    header: z.string().optional(),
    maskedKey: z.string().optional(),
    keyId: z.string().optional(),
    consumer: z.string().optional(),
    expiredOn: dateTime.optional(),
    // permission.
    permission: z.string().optional().meta({ description: "The permission that the route requires." }),
    permissions: z.array(z.string()).optional().meta({ description: "The permissions of the key." }),
    // quota and rate-limit: the limit, its usage, and its reset.
    meter: z.string().optional(),
    amount: z.number().optional().meta({ description: "The amount that the request takes from the meter." }),
    used: z.number().optional(),
    limit: z.number().optional(),
    plans: z.array(z.string()).optional(),
    subscriptionId: z.string().optional(),
    bucket: z.string().optional(),
    keyBucket: z
      .string()
      .optional()
      .meta({ description: "The consumer's key bucket, if only consumers of another one are customers." }),
    customersKeyBucket: z.string().optional().meta({ description: "The `keyBucket` of the metering bucket." }),
    by: z.string().optional(),
    windowSeconds: z.number().optional(),
    window: z.enum(["sliding"]).optional().meta({ description: "Present for a rate limit with a sliding window." }),
    resetsOn: dateTime.optional(),
    // ip-filter.
    network: z.string().optional().meta({ description: "The entry of `deny` that contains the address." }),
    // usage.
    amounts: z.record(z.string(), z.number()).optional().meta({ description: "The counted amount of each meter." }),
    missing: z.array(z.string()).optional().meta({ description: "Meters without an amount in the response." }),
    held: z
      .record(z.string(), z.number())
      .optional()
      .meta({ description: "The amounts that were held until the end of the request." }),
    // jwt.
    claim: z.string().optional().meta({ description: "The invalid claim of the token." }),
    // validate: the violated rules, each with the JSON pointer or parameter.
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    // The message of code, or of an error that caused the rejection.
    message: z.string().optional(),
    status: z.int().optional(),
  })
  .meta({ id: "DecisionDetail", description: "Why a policy rejected a request, with the numbers." });

export const decision = z
  .object({
    policy: z.string().meta({ description: "The name of the policy in the project." }),
    type: z.string(),
    ms: z.number(),
    outcome: z.enum(["passed", "rejected", "observed", "answered", "skipped"]).meta({
      description: "`observed`: a policy in `observe` would have rejected the request, which went on.",
    }),
    code: z.string().optional().meta({ description: "Of an observed decision: the code of the rejection." }),
    detail: detail.optional(),
  })
  .meta({ id: "Decision" });

export const target = z
  .object({
    kind: z.enum(["upstream", "handler"]),
    url: z.string().optional().meta({ description: "Without credentials and query." }),
    module: z.string().optional(),
    ms: z.number().meta({ description: "The time from the last policy to the head of the response." }),
    attempts: z.int(),
  })
  .meta({ id: "RequestTarget" });

export const model = z
  .object({
    alias: z.string(),
    provider: z.string().meta({ description: "The name of the provider in the project." }),
    model: z.string().meta({ description: "The model that the response names, or else the one that was requested." }),
    input: z.int().meta({ description: "Tokens of input, without those that are cached or written to a cache." }),
    cached: z.int(),
    cacheWrite: z.int(),
    output: z.int().meta({ description: "Tokens of output, including reasoning." }),
    basis: z.enum(["reported", "estimated"]).meta({ description: "Whether the provider reported all of the tokens." }),
    cost: z.string().meta({ description: "What the provider charges, a decimal in `currency`." }),
    currency: z.string().optional(),
    charge: z.string().optional().meta({ description: "What meters with the count `cost` have counted." }),
    unpriced: z.string().optional().meta({ description: "What was served and has no price." }),
    firstByteMs: z.number().optional().meta({ description: "The time to the first byte of the response's body." }),
    providerRequestId: z.string().optional().meta({ description: "The `x-request-id` of the provider." }),
  })
  .meta({ id: "RequestModel", description: "What a request to a model has used. Tokens are counted in one category." });

const requestExample = {
  id: "req_0QGzNqW81Kx8VhTb3mPcRdZu",
  time: "2026-11-15T10:00:00.000Z",
  deployment: "orders-main-3f9c2a1",
  version: 7,
  requestId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
  method: "GET",
  path: "/orders",
  route: "/orders",
  status: 429,
  durationMs: 0.21,
  ip: "192.0.2.1",
  consumer: "acme",
  consumerId: "csmr_0QGzNqW81Kx8VhTb3mPcRdZu",
  keyId: "key_0QGzNqW81Kx8VhTb3mPcRdZu",
  code: "quota_exceeded",
  detail: "The quota is used up until the period ends; see Retry-After.",
  decisions: [
    { policy: "keys", type: "api-key", ms: 0.02, outcome: "passed" as const },
    {
      policy: "plan",
      type: "quota",
      ms: 0.01,
      outcome: "rejected" as const,
      detail: {
        reason: "exceeded",
        consumer: "acme",
        meter: "requests",
        amount: 1,
        used: 1000,
        limit: 1000,
        plans: ["Gold"],
        subscriptionId: "sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
        resetsOn: "2026-12-01T00:00:00.000Z",
      },
    },
  ],
};

const agentClient = z.string().optional().meta({ description: "The agent's client, as it names itself." });

export const mcp = z
  .object({
    method: z.string().meta({ description: "Such as `tools/call`." }),
    tool: z.string().optional(),
    client: agentClient,
    error: z.int().optional().meta({ description: "The code of the JSON-RPC error that the agent got." }),
  })
  .meta({ id: "RequestMessage", description: "A message of an agent to a route with the handler `mcp`." });

export const parent = z
  .object({
    requestId: z.string().meta({ description: "The `requestId` of the message." }),
    tool: z.string(),
    client: agentClient,
  })
  .meta({ id: "RequestParent", description: "The message of an agent that called the operation as a tool." });

export const request = z
  .object({
    id: z.string().meta({ description: "The Tollgate id. Clients can choose `x-request-id`, but not this one." }),
    time: dateTime,
    deployment: z.string(),
    version: z.int().nullable().meta({ description: "The number of the version; null if it was removed." }),
    requestId: z.string(),
    traceId: z.string().optional(),
    method: z.string(),
    path: z.string().meta({ description: "Without the query; at most 1,024 characters." }),
    route: z.string().optional(),
    status: z.int().meta({ description: "499 if the client disconnected before the response." }),
    durationMs: z.number(),
    ip: z.string().optional(),
    consumer: z.string().optional(),
    consumerId: z.string().optional(),
    keyId: z.string().optional().meta({ description: "The key, or the authorization of an OAuth client." }),
    client: z.string().optional().meta({ description: "The OAuth client that acted for the consumer." }),
    code: z.string().optional().meta({ description: "The problem code, if the gateway itself rejected the request." }),
    detail: z.string().optional(),
    error: z.string().optional().meta({ description: "The underlying error, which the client did not get." }),
    decisions: z.array(decision).meta({ description: "The policies of the route, in order." }),
    observed: z
      .array(decision.pick({ policy: true, detail: true }).extend({ code: z.string() }))
      .optional()
      .meta({ description: "The rejections of policies in `observe`, by which the request was not rejected." }),
    target: target.optional(),
    model: model.optional(),
    mcp: mcp.optional(),
    parent: parent.optional(),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: "Of a single request that a quota rejected: what may be wrong with the customer." }),
  })
  .meta({ id: "Request", description: "A request to a deployment.", examples: [requestExample] });

export const requestFeed = z
  .object({
    data: z.array(request).meta({ description: "Newest first." }),
    omitted: z.object({ successes: z.int(), failures: z.int() }).meta({
      description: "The number of requests that exceeded the recorded rate, in the minutes that the list covers.",
    }),
  })
  .meta({
    id: "RequestFeed",
    examples: [{ data: [requestExample], omitted: { successes: 0, failures: 0 } }],
  });
