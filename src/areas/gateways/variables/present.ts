import { formatDateTime } from "../../../lib/time/time.ts";
import type { VariableRow } from "./store.ts";

/** The API's view: a secret has no value. */
export function presentVariable(variable: VariableRow) {
  return {
    name: variable.name,
    isSecret: variable.sealed !== null,
    environments: JSON.parse(variable.environments),
    ...(variable.value === null ? {} : { value: variable.value }),
    createdOn: formatDateTime(variable.created_on),
    updatedOn: formatDateTime(variable.updated_on),
  };
}
