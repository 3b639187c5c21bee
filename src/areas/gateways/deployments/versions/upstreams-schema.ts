import { z } from "zod";
import { dateTime } from "../../../../core/schemas/schemas.ts";

const target = z.object({
  url: z.string().meta({ description: "A secret in it is shown as its name in braces after a dollar sign." }),
  weight: z.int(),
  state: z.enum(["up", "unhealthy", "ejected", "unchecked"]).meta({
    description:
      "`unhealthy`: health checks fail. `ejected`: requests failed. `unchecked`: the upstream has neither health checks nor " +
      "ejection, or the version does not run on this node.",
  }),
  ejectedUntil: dateTime.optional().meta({ description: "When a request may try the target again." }),
  consecutiveErrors: z.int().meta({ description: "The number of consecutive failed requests." }),
  inFlight: z.int().meta({ description: "The number of requests in progress." }),
  lastCheck: z
    .object({ time: dateTime, passed: z.boolean(), status: z.int().optional(), error: z.string().optional() })
    .optional(),
});

export const deployedUpstreams = z
  .object({
    version: z.int().meta({ description: "The live version." }),
    data: z.array(
      z.object({
        version: z.int().meta({
          description: "The version that has this upstream: the live one or, in a canary release, the canary.",
        }),
        targets: z.array(target),
        balance: z.enum(["round-robin", "least-requests", "hash"]),
        hashBy: z.string().optional(),
        hasHealthChecks: z.boolean(),
        hasEjection: z.boolean(),
        hasRetries: z.boolean(),
        usesOwnTls: z.boolean().meta({ description: "Whether it has its own CA, client certificate or server name." }),
        maxConnections: z.int().optional(),
        routes: z.int().meta({ description: "The number of routes that use it." }),
      }),
    ),
  })
  .meta({
    id: "DeployedUpstreams",
    description:
      "The upstreams of the live version and of a canary, with the health of their targets as this node sees it.",
    examples: [
      {
        version: 3,
        data: [
          {
            version: 3,
            targets: [
              {
                url: "https://orders-1.example",
                weight: 1,
                state: "unhealthy" as const,
                consecutiveErrors: 0,
                inFlight: 0,
                lastCheck: { time: "2026-01-31T10:00:00.000Z", passed: false, status: 503 },
              },
            ],
            balance: "round-robin" as const,
            hasHealthChecks: true,
            hasEjection: false,
            hasRetries: true,
            usesOwnTls: false,
            routes: 12,
          },
        ],
      },
    ],
  });
