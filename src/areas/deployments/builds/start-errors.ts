import type { BuildMessage, SecretPlace, SecretUse } from "../../../core/artifact/build-report.ts";
import type { StartFailure } from "../versions/starter.ts";

/** The same maximum as in a build. */
const maxErrors = 100;

/**
 * Returns why a version does not start, with the position in the project. Routes that share an upstream or a policy
 * share its error.
 */
export function startErrors({ faults }: StartFailure, places: readonly SecretPlace[] = []): BuildMessage[] {
  const placeOfUse = new Map(places.map(({ file, line, column, ...use }) => [useKey(use), { file, line, column }]));
  const errors = new Map<string, BuildMessage>();
  for (const { message, use } of faults) {
    const place = (use && placeOfUse.get(useKey(use))) ?? { file: "", line: 0, column: 0 };
    const error = { ...place, message };
    errors.set(JSON.stringify(error), error);
    if (errors.size === maxErrors) break;
  }
  return [...errors.values()];
}

function useKey(use: SecretUse): string {
  if ("provider" in use) return `provider ${use.provider}`;
  return "upstream" in use ? `upstream ${use.upstream}` : `policy ${use.policy}`;
}
