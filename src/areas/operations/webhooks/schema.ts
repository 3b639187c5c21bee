import { z } from "zod";
import { queryLimit } from "../../../api/schemas.ts";
import { dateTime, dateTimeInput, description, secret } from "../../../core/schemas/schemas.ts";
import { namePattern, namePatternText } from "../../../lib/text/names.ts";
import { eventTypes, isPattern, testType } from "./event-types.ts";

const exampleTime = "2026-01-31T10:00:00.000Z";
const maxUrlLength = 2000;
const maxPatterns = 50;

/** Used in paths like an id, so it must not look like one. */
const webhookName = z
  .string()
  .regex(namePattern, `must be ${namePatternText}`)
  .refine((name) => !name.startsWith("hook_"), "must not begin with hook_")
  .meta({ description: "1 to 128 characters of a-z, 0-9, `_` and `-`. Unique; may stand wherever the id does." });

const url = z
  .string()
  .max(maxUrlLength, `must have at most ${maxUrlLength} characters`)
  .superRefine((value, context) => {
    const message = urlError(value);
    if (message) context.addIssue({ code: "custom", message });
  })
  .meta({ description: "An http or https address, without user, password and fragment. Redirects are not followed." });

const events = z
  .array(
    z
      .string()
      .refine(isPattern, "must be `*`, a type of event such as `key.rolled`, or `<resource>.*` such as `key.*`"),
  )
  .min(1, "must name at least one")
  .max(maxPatterns, `must have at most ${maxPatterns} items`)
  .meta({ description: `Patterns of events to send: \`*\`, \`<resource>.*\`, or one of ${eventTypes.join(", ")}.` });

const webhookExample = {
  id: "hook_0QGzNqW81Kx8VhTb3mPcRdZu",
  url: "https://acme.example/webhooks",
  events: ["key.*", "quota.threshold"],
  isEnabled: true,
  createdOn: exampleTime,
  updatedOn: exampleTime,
};

export const webhook = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    url: z.string(),
    events: z.array(z.string()),
    description: z.string().optional(),
    isEnabled: z.boolean(),
    disabledReason: z.enum(["gone", "failing"]).optional().meta({
      description: "Why the server disabled it: `gone` after a 410, `failing` after five days without success.",
    }),
    failingSince: dateTime.optional().meta({
      description: "The first failed attempt since the last success. Not part of the ETag.",
    }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Webhook",
    description: "A URL that receives events (Standard Webhooks 1.0).",
    examples: [webhookExample],
  });

export const webhookWithSecret = webhook
  .extend({ secret: secret(z.string().meta({ description: "Signs its messages. It is not shown again." })) })
  .meta({
    id: "WebhookWithSecret",
    examples: [{ ...webhookExample, secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" }],
  });

export const webhookInput = z
  .strictObject({
    name: webhookName.optional(),
    url,
    events,
    description: description.optional(),
    isEnabled: z.boolean().optional().meta({ default: true }),
  })
  .meta({ id: "WebhookCreate" });

export const webhookPatch = z
  .strictObject({
    name: webhookName.nullable().optional(),
    url: url.optional(),
    events: events.optional(),
    description: description.nullable().optional(),
    isEnabled: z.boolean().optional().meta({
      description:
        "With false it gets no messages, and pending deliveries fail. With true it gets messages from now on.",
    }),
  })
  .meta({ id: "WebhookUpdate" });

const maxGraceSeconds = 7 * 24 * 60 * 60;

export const rotationInput = z
  .strictObject({
    graceSeconds: z
      .int()
      .min(0)
      .max(maxGraceSeconds, `must be at most ${maxGraceSeconds} (7 days)`)
      .default(24 * 60 * 60)
      .meta({ description: "How long messages are also signed with the old secret." }),
  })
  .optional()
  .transform((body) => body ?? { graceSeconds: 24 * 60 * 60 })
  .meta({ id: "WebhookSecretRotation" });

const statuses = ["pending", "succeeded", "failed"] as const;
export type DeliveryStatus = (typeof statuses)[number];

const deliveryExample = {
  id: "dlvr_0QGzNqW81Kx8VhTb3mPcRdZu",
  messageId: "msg_0QGzNqW81Kx8VhTb3mPcRdZu",
  type: "key.rolled",
  status: "pending" as const,
  attempts: 1,
  nextAttemptOn: "2026-01-31T10:00:05.000Z",
  createdOn: exampleTime,
};

export const delivery = z
  .object({
    id: z.string(),
    messageId: z.string().meta({ description: "The `webhook-id` header." }),
    type: z.string(),
    status: z.enum(statuses),
    attempts: z.int().min(0),
    nextAttemptOn: dateTime.optional(),
    createdOn: dateTime,
    finishedOn: dateTime.optional(),
  })
  .meta({ id: "WebhookDelivery", description: "The delivery of a message to a webhook.", examples: [deliveryExample] });

export const deliveryList = z
  .object({ data: z.array(delivery) })
  .meta({ id: "WebhookDeliveryList", examples: [{ data: [deliveryExample] }] });

const attempt = z.object({
  number: z.int().min(1),
  startedOn: dateTime,
  durationMs: z.int().min(0),
  status: z.int().optional().meta({ description: "Absent if there was no response." }),
  error: z.string().optional(),
  response: z.string().optional().meta({ description: "The first 4 KiB of the response's body." }),
});

export const deliveryDetail = delivery
  .extend({
    request: z.object({
      method: z.literal("POST"),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string(),
    }),
    attemptLog: z.array(attempt).meta({ description: "The newest 50, oldest first." }),
  })
  .meta({
    id: "WebhookDeliveryDetail",
    examples: [
      {
        ...deliveryExample,
        request: {
          method: "POST",
          url: "https://acme.example/webhooks",
          headers: { "content-type": "application/json", "webhook-id": deliveryExample.messageId },
          body: '{"type":"key.rolled","timestamp":"2026-01-31T10:00:00.000Z","data":{}}',
        },
        attemptLog: [{ number: 1, startedOn: exampleTime, durationMs: 120, status: 503, response: "busy" }],
      },
    ],
  });

export const deliveryQuery = z.strictObject({
  limit: queryLimit(100, "The number of newest deliveries to return; values over 1000 become 1000."),
  before: z
    .string()
    .regex(/^dlvr_[0-9A-Za-z]+$/, "must be the id of a delivery, such as dlvr_0QGzNqW81Kx8VhTb3mPcRdZu")
    .optional()
    .meta({ description: "The id of a delivery: only older ones." }),
  status: z.enum(statuses, "must be pending, succeeded or failed").optional(),
  type: z.enum([...eventTypes, testType], "must be a type of event").optional(),
});

export const replayInput = z
  .strictObject({
    from: dateTimeInput,
    to: dateTimeInput,
    newIds: z.boolean().default(false).meta({
      description: "With true, each has a new `webhook-id`, so that receivers do not skip it as a duplicate.",
    }),
  })
  .meta({ id: "WebhookReplay" });

export const replayed = z
  .object({ deliveries: z.int().min(0).meta({ description: "The number of queued deliveries." }) })
  .meta({ id: "WebhookReplayed", examples: [{ deliveries: 12 }] });

/** Returns why the URL of a webhook is invalid, or undefined. The egress rules check its destination later. */
function urlError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an http or https URL";
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must be an http or https URL";
  if (username !== "" || password !== "") return "must not contain a user or password";
  if (hash !== "") return "must not have a fragment";
  return undefined;
}
