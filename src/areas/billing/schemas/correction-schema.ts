import { z } from "zod";
import { dateTime, text } from "../../../core/schemas/schemas.ts";

const name = text(512).min(1, "must not be empty");

export const eventCorrection = z
  .strictObject({
    source: name.meta({ description: "The `source` of the event." }),
    id: name.meta({ description: "The `id` of the event." }),
    reason: text(1000).min(1, "must not be empty").meta({ description: "Why it is taken back, for the audit log." }),
  })
  .meta({ id: "EventVoid", examples: [{ source: "gateway-1", id: "3e4a1c", reason: "Counted twice by a test" }] });

export const voidedEvent = z
  .object({ source: z.string(), id: z.string(), customerKey: z.string(), voidedOn: dateTime })
  .meta({
    id: "VoidedEvent",
    examples: [{ source: "gateway-1", id: "3e4a1c", customerKey: "acme", voidedOn: "2026-01-31T12:00:00.000Z" }],
  });
