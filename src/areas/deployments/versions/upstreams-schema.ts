import { z } from "zod";
import { dateTime } from "../../../core/schemas/schemas.ts";

const target = z.object({
  url: z.string().meta({ description: "A secret in it reads as its name in braces after a dollar sign." }),
  weight: z.int(),
  state: z.enum(["up", "unhealthy", "ejected", "unchecked"]).meta({
    description:
      "`unhealthy`: health checks fail. `ejected`: requests failed. `unchecked`: the upstream has neither health checks nor " +
      "ejection, or the version does not run on this node.",
  }),
  ejectedUntil: dateTime.optional().meta({ description: "When a request may find out whether it is back." }),
  consecutiveErrors: z.int().meta({ description: "Requests in a row that failed." }),
  inFlight: z.int().meta({ description: "Requests that it has not responded to completely." }),
  lastCheck: z
    .object({ time: dateTime, passed: z.boolean(), status: z.int().optional(), error: z.string().optional() })
    .optional(),
});

export const deployedUpstreams = z
  .object({
    version: z.int().meta({ description: "The version that has these upstreams." }),
    data: z.array(
      z.object({
        targets: z.array(target),
        balance: z.enum(["round-robin", "least-requests", "hash"]),
        hashBy: z.string().optional(),
        hasHealthChecks: z.boolean(),
        hasEjection: z.boolean(),
        hasRetries: z.boolean(),
        usesOwnTls: z.boolean().meta({ description: "It has a CA, a client certificate or a server name of its own." }),
        maxConnections: z.int().optional(),
        routes: z.int().meta({ description: "How many routes lead to it." }),
      }),
    ),
  })
  .meta({
    id: "DeployedUpstreams",
    description: "The upstreams of the version that serves, with the health of their targets as this node sees it.",
    examples: [
      {
        version: 3,
        data: [
          {
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
