import { z } from "zod";

/** The handler of a route: an upstream, a module, or a policy that responds to every request. */
export const routeTarget = z.union([
  z.object({
    upstream: z.string().meta({ description: "The first target, if there are several." }),
    targets: z.array(z.string()).optional().meta({ description: "All targets of an upstream with options." }),
    balanced: z.int().optional().meta({
      description: "Only in the contents of a version: the index in `upstreams` of the options of this upstream.",
    }),
  }),
  z.object({
    handler: z.string(),
    mcp: z
      .object({
        mode: z.enum(["tools", "search"]),
        title: z.string().optional(),
        instructions: z.string().optional(),
        tools: z.array(
          z.object({
            name: z.string().meta({ description: "The operationId of the operation." }),
            title: z.string().optional(),
            description: z.string().optional(),
            method: z.string(),
            path: z.string(),
            bytes: z.int().meta({ description: "The size of the tool in `tools/list`." }),
            tokens: z.int().meta({ description: "An estimate of the tokens that a model reads for it." }),
          }),
        ),
      })
      .optional()
      .meta({ description: "The tools of the handler `mcp`." }),
  }),
  z.object({ policy: z.string() }),
]);

export const deployedRoutes = z
  .object({
    version: z.number().int().meta({ description: "The version that has these routes." }),
    example: z
      .object({
        method: z.string(),
        target: z.string().meta({ description: "Path and query, with the examples of required parameters." }),
        keyHeader: z.string(),
        keyPrefix: z.string().meta({ description: "The text before the key in the header." }),
        headers: z
          .array(z.object({ name: z.string(), value: z.string() }))
          .optional()
          .meta({ description: "The other required headers." }),
        body: z.string().optional(),
      })
      .optional()
      .meta({
        description:
          "With `example=true`: a request that works as it is once a key is added. Absent if no route accepts a key.",
      }),
    data: z.array(
      z.object({
        method: z.string(),
        path: z.string().meta({ description: "An OpenAPI path template." }),
        operationId: z.string().optional(),
        policies: z
          .array(
            z.object({
              name: z.string(),
              type: z.string(),
              mode: z.enum(["observe"]).optional().meta({ description: "Present if it rejects no request." }),
            }),
          )
          .meta({ description: "In the order in which they handle a request." }),
        target: routeTarget,
        timeoutSeconds: z.number(),
        tool: z
          .union([
            z.object({
              bytes: z.int(),
              tokens: z.int().meta({ description: "An estimate of what a model reads for it." }),
            }),
            z.object({ problem: z.string().meta({ description: "Why the operation cannot be a tool." }) }),
          ])
          .optional()
          .meta({ description: "With `tools=true`: the operation as a tool for agents." }),
      }),
    ),
  })
  .meta({
    id: "DeployedRoutes",
    description: "The routes of a version.",
    examples: [
      {
        version: 3,
        data: [
          {
            method: "GET",
            path: "/orders/{id}",
            operationId: "getOrder",
            policies: [{ name: "key", type: "api-key" }],
            target: { upstream: "https://orders.example" },
            timeoutSeconds: 30,
          },
        ],
      },
    ],
  });
