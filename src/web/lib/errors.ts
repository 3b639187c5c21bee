import { TollgateError } from "../../client/index.ts";

/** What a person reads of an error: what happened, then what to do. */
export function messageOf(error: unknown): string {
  if (!(error instanceof TollgateError)) return error instanceof Error ? error.message : String(error);
  if (error.code === "network")
    return "The server cannot be reached. Check that it runs and that you are online, then try again.";
  if (error.code === "forbidden") return "Your token's role does not allow this. Ask an admin of the account.";
  return error.detail;
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof TollgateError ? error.status : undefined;

/** What is wrong with each field, by its JSON pointer: `/meters/requests/max`. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof TollgateError)) return {};
  return Object.fromEntries(error.errors.map(({ pointer, detail }) => [pointer, detail]));
}

/** The error of one field, and of everything below it. */
export function errorAt(errors: Record<string, string>, pointer: string): string | undefined {
  const found = Object.entries(errors).find(([at]) => at === pointer || at.startsWith(`${pointer}/`));
  return found?.[1];
}
