import { z } from "zod";
import { queryBoolean, queryLimit } from "../../../api/schemas.ts";
import { dateTime, dateTimeInput, secret, text } from "../../../core/schemas/schemas.ts";
import { maxProjectNameLength } from "./naming.ts";
import type { stepNames } from "./steps.ts";

const exampleName = "orders-main-3f9c2a1";
const exampleUrl = `http://${exampleName}.localhost:8787`;
const exampleTime = "2026-01-31T10:00:00.000Z";
const exampleHash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

const projectName = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9](?:[a-z0-9-]{0,${maxProjectNameLength - 2}}[a-z0-9])?$`),
    `must be 1 to ${maxProjectNameLength} characters of a-z, 0-9 and -, with no - at its ends`,
  )
  .meta({ description: "Part of the host name of the project's deployments." });

const branchName = text(255)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
  .regex(/^[^\x00-\x1f\x7f]+$/, "must be 1 to 255 characters, none of them a control character")
  .meta({
    description:
      "The branch in `productionBranch` of `tollgate.json`, by default `main`, is production. Every other branch is a preview.",
  });

export const sourceInput = z
  .strictObject({
    accountName: z.string(),
    projectName,
    branchName,
    activate: z.boolean().default(true).meta({
      description:
        "With `false` the version is built and gets no traffic, so that a canary release can give it a share. The first version of a deployment always gets it.",
    }),
    note: text(1000).optional().meta({ description: "Describes the version, such as the subject of a commit." }),
    basedOn: z
      .int()
      .min(1)
      .optional()
      .meta({
        description:
          "The number of the version that the project was changed from. The request and the upload fail with 409 `conflict` if another " +
          "one is live or a build has begun.",
      }),
  })
  .meta({
    id: "SourceUploadCreate",
    examples: [{ accountName: "default", projectName: "orders", branchName: "main" }],
  });

export const sourceUpload = z
  .object({
    uploadUrl: secret(z.string()).meta({
      description:
        "The URL for a PUT of a gzip tar of the project: once, within an hour, without a token. It contains the status id.",
    }),
  })
  .meta({
    id: "SourceUpload",
    examples: [
      {
        uploadUrl:
          "http://127.0.0.1:8787/v1/deployments/sources/7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e.tar.gz?token=up_…",
      },
    ],
  });

export const received = z
  .object({ status: z.string(), statusId: z.string() })
  .meta({ id: "SourceReceived", examples: [{ status: "queued", statusId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e" }] });

const deploymentExample = {
  name: exampleName,
  url: exampleUrl,
  label: "main",
  urlParameter: "main",
  createdOn: exampleTime,
  updatedOn: exampleTime,
  loggingId: "default::orders::main::3f9c2a1",
  accountName: "default",
  projectName: "orders",
  state: "STARTED" as const,
  message: "" as const,
  branchName: "main",
  activeVersion: 3,
  environmentType: "PRODUCTION" as const,
};

export const deployment = z
  .object({
    name: z.string(),
    url: z.string(),
    label: z.string(),
    urlParameter: z.string(),
    createdOn: dateTime,
    updatedOn: dateTime,
    loggingId: z.string(),
    accountName: z.string(),
    projectName: z.string(),
    state: z.enum(["PENDING", "BUILDING", "STARTED", "ERROR"]),
    message: z.enum(["", "BUILD_FAILED", "START_FAILED"]).meta({
      description: "The result of the last build. If it failed, the previous version keeps serving.",
    }),
    branchName: z.string(),
    activeVersion: z
      .int()
      .optional()
      .meta({ description: "The number of the version that serves; absent if none does." }),
    environmentType: z.enum(["PRODUCTION", "PREVIEW"]),
  })
  .meta({
    id: "Deployment",
    description: "A branch of a project with its own host name.",
    examples: [deploymentExample],
  });

export const deploymentList = z
  .object({ data: z.array(deployment) })
  .meta({ id: "DeploymentList", examples: [{ data: [deploymentExample] }] });

const step = z
  .object({
    status: z.enum(["PENDING", "IN_PROGRESS", "SUCCESS", "ERROR"]),
    startedOn: dateTime.optional(),
    finishedOn: dateTime.optional(),
    message: z.string().optional(),
  })
  .meta({ id: "DeploymentStep" });

const buildMessage = z
  .object({ file: z.string(), line: z.int(), column: z.int(), message: z.string() })
  .meta({ id: "BuildMessage", description: "Lines and columns count from 1; 0 means the archive as a whole." });

export const artifact = z.object({ sha256: z.string(), bytes: z.int() });

const buildResult = z
  .object({
    success: z.boolean().optional(),
    durationMs: z.int().optional(),
    artifact: artifact.optional(),
    version: z.int().optional().meta({ description: "The number of the version that was built." }),
    routes: z.int().optional(),
    tools: z
      .array(z.object({ path: z.string(), name: z.string(), bytes: z.int(), tokens: z.int() }))
      .optional()
      .meta({ description: "The tools of routes with the handler `mcp`, with their sizes; tokens are estimated." }),
    warnings: z.array(buildMessage).optional(),
    errors: z.array(buildMessage).optional(),
  })
  .meta({ id: "BuildResult", description: "Empty until there is a result." });

const doneStep = { status: "SUCCESS" as const, startedOn: exampleTime, finishedOn: exampleTime };

export const deploymentStatus = z
  .object({
    status: z.enum(["SUCCESS", "ERROR", "IN_PROGRESS"]),
    url: z.string(),
    steps: z.object({ upload: step, unpack: step, validate: step, build: step, start: step } satisfies Record<
      (typeof stepNames)[number],
      typeof step
    >),
    buildResult,
  })
  .meta({
    id: "DeploymentStatus",
    description: "The progress of an upload to live traffic.",
    examples: [
      {
        status: "SUCCESS",
        url: exampleUrl,
        steps: { upload: doneStep, unpack: doneStep, validate: doneStep, build: doneStep, start: doneStep },
        buildResult: {
          success: true,
          durationMs: 214,
          artifact: { sha256: exampleHash, bytes: 4096 },
          version: 3,
          routes: 3,
          warnings: [],
          errors: [],
        },
      },
    ],
  });

export const redeployed = z.object({ status: z.literal("request enqueued"), statusId: z.string() }).meta({
  id: "Redeployed",
  examples: [{ status: "request enqueued" as const, statusId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e" }],
});

export const promotionInput = z
  .strictObject({ from: text(300).meta({ description: "Another deployment of the same project." }) })
  .meta({ id: "DeploymentPromotion", examples: [{ from: "orders-staging-1a2b3c4" }] });

export const rollbackInput = z
  .strictObject({
    version: z
      .int("must be the number of a version")
      .min(1, "must be the number of a version")
      .optional()
      .meta({ description: "By default the previous version." }),
  })
  .optional()
  .meta({ id: "Rollback", examples: [{}] });

const logKinds = ["access", "console", "build"] as const;

export const deploymentLogQuery = z.strictObject({
  limit: queryLimit(100, "The number of newest lines to return; values over 1000 become 1000."),
  since: dateTimeInput.optional().meta({ description: "Only lines since this time." }),
  kind: z.enum(logKinds, "must be access, console or build").optional(),
  follow: queryBoolean
    .default(false)
    .meta({ description: "Streams new lines as server-sent events until the client disconnects." }),
});

export const deploymentQuery = z.strictObject({
  projectName: z.string().optional().meta({ description: "Only the deployments of this project." }),
  branchName: z.string().optional().meta({ description: "Only the deployments of this branch." }),
});

const logLineExample = {
  id: "log_0QGzNqW81Kx8VhTb3mPcRdZu",
  time: exampleTime,
  kind: "access" as const,
  level: "info" as const,
  message: "GET /orders 200",
  requestId: "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e",
  method: "GET",
  path: "/orders",
  route: "/orders",
  status: 200,
  durationMs: 1.25,
  consumer: "acme",
};

const logLine = z
  .object({
    id: z.string(),
    time: dateTime,
    kind: z.enum(logKinds),
    level: z.enum(["debug", "info", "warn", "error"]),
    message: z.string(),
    requestId: z.string().optional(),
    method: z.string().optional(),
    path: z.string().optional(),
    route: z.string().optional(),
    status: z.int().optional(),
    durationMs: z.number().optional(),
    consumer: z.string().optional(),
  })
  .meta({
    id: "DeploymentLogLine",
    description: "A request (`access`), console output of the code, or a message of a build.",
    examples: [logLineExample],
  });

export const logLines = z
  .object({ data: z.array(logLine) })
  .meta({ id: "DeploymentLog", examples: [{ data: [logLineExample] }] });
