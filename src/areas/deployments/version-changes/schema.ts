import { z } from "zod";

const change = z.enum(["added", "removed", "changed"]);
const details = z.array(z.string()).meta({ description: "What has changed, in sentences. Values are not shown." });

export const deploymentChanges = z
  .object({
    version: z.int().meta({ description: "The version that serves." }),
    with: z.object({ deploymentName: z.string(), version: z.int() }).optional().meta({
      description: "What it is compared with. Absent if there is no such version, and then nothing is listed.",
    }),
    routes: z.array(z.object({ method: z.string(), path: z.string(), change, details })),
    policies: z.array(z.object({ name: z.string(), change, details })),
    breaking: z
      .array(z.object({ method: z.string(), path: z.string(), detail: z.string() }))
      .meta({ description: "Changes of the OpenAPI document that can break clients; at most 200." }),
  })
  .meta({
    id: "DeploymentChanges",
    description: "How the live version of a deployment differs from that of another one.",
    examples: [
      {
        version: 2,
        with: { deploymentName: "orders-main-3f9c2a1", version: 7 },
        routes: [{ method: "GET", path: "/orders/{id}", change: "changed", details: ["policies: key → key, quota"] }],
        policies: [{ name: "quota", change: "added", details: ["type quota"] }],
        breaking: [{ method: "POST", path: "/orders", detail: "the body requires /currency" }],
      },
    ],
  });
