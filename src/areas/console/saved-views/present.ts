import { formatDateTime } from "../../../lib/time/time.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";
import type { ViewPage } from "./schema.ts";

export function presentView({ id, name, page, search, created_on, updated_on }: RowOf<"views">) {
  return {
    id,
    name,
    page: page as ViewPage,
    search,
    createdOn: formatDateTime(created_on),
    updatedOn: formatDateTime(updated_on),
  };
}
