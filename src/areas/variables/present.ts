import { formatDateTime } from "../../lib/time/time.ts";
import type { VariableRow } from "./store.ts";

/** The API's view: a secret has no value. */
export function presentVariable(row: VariableRow) {
  return {
    name: row.name,
    isSecret: row.sealed !== null,
    environments: JSON.parse(row.environments),
    ...(row.value === null ? {} : { value: row.value }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
