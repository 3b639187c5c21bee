import { batchedWrite } from "../../../api/endpoint.ts";
import { invalid } from "../../../core/problems/problem.ts";
import { bucketPath, inAccountOfCaller } from "../../metering-buckets/paths.ts";
import { eventBatch, eventsInput, ingested } from "../usage/event-schema.ts";
import type { Ingested, UsageEvents } from "../usage/events.ts";

const area = "Usage";

export function eventRoutes(events: UsageEvents) {
  return [
    batchedWrite({
      operationId: "recordUsage",
      method: "POST",
      path: `${bucketPath}/events`,
      area,
      inAccountOfCaller,
      summary: "Record usage events",
      description:
        "CloudEvents 1.0 as JSON: one, or an array. The response is sent after they are durable. An invalid event is rejected " +
        "by its index, and the others are counted; a single invalid event is a 400.",
      access: "verify",
      body: eventsInput,
      batch: eventBatch,
      largeBody: true,
      response: ingested,
      item: ({ act, params, body }) => ({
        act,
        bucketId: params.bucketId,
        items: Array.isArray(body) ? body : [body],
        isArray: Array.isArray(body),
      }),
      inBatch: (batch) => events.ingest(batch),
      inTransaction: (transaction, batch) => events.ingestIn(transaction, batch),
      reply: (result, { isArray }) => replyToEvents(result, isArray),
    }),
  ];
}

function replyToEvents(result: Ingested, isArray: boolean) {
  const [first] = result.rejected;
  if (first && !isArray) throw invalid(first.pointer, first.detail);
  const rejected = result.rejected.map(({ index, pointer, detail }) => ({
    index,
    detail: `${pointer.slice(1).replaceAll("/", ".")} ${detail}`.trim(),
  }));
  return { body: { ...result, rejected } };
}
