import { z } from "zod";
import { dateTime } from "../../../core/schemas/schemas.ts";
import { artifact } from "../schema.ts";
import { routeTarget } from "./route-table-schema.ts";

const example = {
  id: "vrsn_0QGzNqW81Kx8VhTb3mPcRdZu",
  number: 3,
  createdOn: "2026-01-31T10:00:00.000Z",
  artifact: { sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", bytes: 4096 },
  routes: 1,
  isActive: true,
  statusId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
  author: { type: "person" as const, id: "prsn_0QGzNqW81Kx8VhTb3mPcRdZu", name: "Ada" },
  note: "Limit orders to 100 a minute",
};

export const version = z
  .object({
    id: z.string(),
    number: z.int(),
    createdOn: dateTime,
    artifact,
    routes: z.int(),
    isActive: z.boolean(),
    statusId: z.string().meta({ description: "The id of the build that created it." }),
    author: z
      .object({
        type: z.enum(["token", "person", "manager", "client", "operator", "system"]),
        id: z.string(),
        name: z.string().optional(),
      })
      .meta({ description: "The actor that deployed it." }),
    note: z.string().optional().meta({ description: "The note of the deployment." }),
  })
  .meta({
    id: "DeploymentVersion",
    description: "The immutable result of a build, to which a rollback is possible.",
    examples: [example],
  });

const route = z.object({
  method: z.string(),
  path: z.string().meta({ description: "An OpenAPI path template." }),
  operationId: z.string().optional(),
  policies: z.array(z.string()).meta({ description: "Names, in the order in which they handle a request." }),
  target: routeTarget,
  timeoutSeconds: z.number(),
  validation: z
    .unknown()
    .optional()
    .meta({ description: "The schemas of parameters and bodies, if a policy validates them." }),
});

export const versionWithContents = version
  .extend({
    contents: z.object({
      document: z.object({ file: z.string(), text: z.string() }).nullable().meta({
        description:
          "The OpenAPI document as it was uploaded, with the files that it refers to in `x-tollgate-files`. Null if it was not stored.",
      }),
      routes: z.array(route),
      upstreams: z
        .array(z.unknown())
        .optional()
        .meta({ description: "Upstreams with options, as in the project; defaults are filled in." }),
      policies: z
        .record(z.string(), z.object({ type: z.string(), mode: z.enum(["observe"]).optional(), options: z.unknown() }))
        .meta({ description: "By name, with their options; defaults are filled in. Without `mode` they enforce." }),
      environment: z
        .record(z.string(), z.string())
        .meta({ description: "The plain variables at the time of the build." }),
      code: z.string().nullable().meta({ description: "The project's modules, bundled; null if it has none." }),
    }),
  })
  .meta({
    id: "DeploymentVersionContents",
    description:
      "A version with its contents. A secret of the project is shown as its name in braces after a dollar sign.",
    examples: [
      {
        ...example,
        contents: {
          document: { file: "openapi.yaml", text: "openapi: 3.1.0\npaths:\n  /orders/{id}: …\n" },
          routes: [
            {
              method: "GET",
              path: "/orders/{id}",
              policies: ["keys"],
              target: { upstream: "https://orders.example" },
              timeoutSeconds: 30,
            },
          ],
          policies: { keys: { type: "api-key", options: { bucket: "main" } } },
          environment: { REGION: "eu" },
          code: null,
        },
      },
    ],
  });
