import { formatDateTime } from "../../lib/time/time.ts";
import type { ConsumerRow } from "./store.ts";

export function presentConsumer(row: ConsumerRow) {
  return {
    id: row.id,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.tags === null ? {} : { tags: JSON.parse(row.tags) }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
