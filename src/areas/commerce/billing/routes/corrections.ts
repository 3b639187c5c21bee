import { formatDateTime } from "../../../../lib/time/time.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import { voidEvent } from "../periods/corrections.ts";
import { eventCorrection, voidedEvent } from "../schemas/subscription-schema.ts";

export function correctionRoutes() {
  return [
    inBucket.write({
      operationId: "voidEvent",
      method: "POST",
      path: `${bucketPath}/events/$void`,
      area: "Usage",
      summary: "Take a usage event back",
      description:
        "Usage falls by the amounts of the event, on all nodes within a second. Its id stays a duplicate. Credits that " +
        "paid for it are granted again; what was invoiced is returned with the next invoice, or as a grant. Repeating it " +
        "changes nothing. An event that is no longer stored is a 404.",
      access: "bill",
      body: eventCorrection,
      response: voidedEvent,
      handle: async ({ context, body }) => {
        const { customerKey, voidedOn } = await voidEvent(context, body);
        const { source, id } = body;
        return { body: { source, id, customerKey, voidedOn: formatDateTime(voidedOn) } };
      },
    }),
  ];
}
