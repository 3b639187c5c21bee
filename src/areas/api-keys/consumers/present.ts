import { formatDateTime } from "../../../lib/time/time.ts";
import type { ConsumerRow } from "./store.ts";

export function presentConsumer(consumer: ConsumerRow) {
  return {
    id: consumer.id,
    name: consumer.name,
    ...(consumer.display_name === null ? {} : { displayName: consumer.display_name }),
    ...(consumer.description === null ? {} : { description: consumer.description }),
    ...(consumer.tags === null ? {} : { tags: JSON.parse(consumer.tags) }),
    ...(consumer.metadata === null ? {} : { metadata: JSON.parse(consumer.metadata) }),
    ...(consumer.is_suspended === 0 ? {} : { isSuspended: true }),
    ...(consumer.suspension_reason === null ? {} : { suspensionReason: consumer.suspension_reason }),
    createdOn: formatDateTime(consumer.created_on),
    updatedOn: formatDateTime(consumer.updated_on),
  };
}
