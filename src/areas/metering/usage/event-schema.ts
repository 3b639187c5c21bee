import { z } from "zod";

const eventExample = {
  specversion: "1.0",
  id: "3e4a1c",
  source: "gateway-1",
  type: "request",
  subject: "acme",
  time: "2026-01-31T12:00:00Z",
  data: { requests: 1 },
};

/**
 * More events than fit into a body. Without a limit, millions of invalid items would block others, and each is
 * reported.
 */
const maxEvents = 100_000;

const tooManyEvents = `must have at most ${maxEvents} events`;

export const eventBatch = { item: z.unknown(), max: maxEvents, tooMany: tooManyEvents };

/** Each event is validated separately, so that an invalid one does not fail the others. */
export const eventsInput = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())], "must be an event or an array of events")
  .refine((body) => !Array.isArray(body) || body.length <= maxEvents, tooManyEvents)
  .meta({
    id: "UsageEvents",
    description:
      "CloudEvents 1.0: one, or an array. `subject` is a customerKey, `data` is `{<meter>: number > 0}`. `id` and " +
      "`source` identify an event, which is counted once.",
    examples: [[eventExample]],
  });

export const ingested = z
  .object({
    accepted: z.int().meta({ description: "The number of stored and counted events." }),
    duplicates: z
      .int()
      .meta({ description: "The number of events with a known id and source, which are not counted again." }),
    rejected: z.array(z.object({ index: z.int(), detail: z.string() })),
  })
  .meta({ id: "IngestedEvents", examples: [{ accepted: 1, duplicates: 0, rejected: [] }] });
