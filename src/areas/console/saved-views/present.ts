import { formatDateTime } from "../../../lib/time/time.ts";
import type { ViewPage } from "./schema.ts";
import type { ViewRow } from "./store.ts";

export function presentView({ id, name, page, search, created_on, updated_on }: ViewRow) {
  return {
    id,
    name,
    page: page as ViewPage,
    search,
    createdOn: formatDateTime(created_on),
    updatedOn: formatDateTime(updated_on),
  };
}
