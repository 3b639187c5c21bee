import { useQuery } from "@tanstack/react-query";
import { TollgateError } from "../../client/index.ts";
import type { DocumentationPage } from "../../client/portal/schema.gen.ts";
import { withConnection } from "../lib/connection.ts";
import type { ReferenceApi } from "../reference/reference-api.ts";

export const docsPath = "/docs";

/** The pages of the management API's reference. The build has written them. */
export function useNavigation() {
  return useQuery({
    queryKey: ["navigation"],
    queryFn: ({ signal }) =>
      load<Pick<ReferenceApi, "title" | "version" | "guides" | "reference">>("navigation", signal),
  });
}

export function usePage(page: string) {
  return useQuery({
    queryKey: ["page", page],
    queryFn: ({ signal }) => load<DocumentationPage>(page === "" ? "index" : page, signal),
  });
}

const watchedFetch = withConnection((address: string, init) => fetch(address, init));

async function load<Content>(name: string, signal: AbortSignal): Promise<Content> {
  let response: Response;
  try {
    response = await watchedFetch(`${docsPath}/pages/${name}.json`, { signal });
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw new TollgateError({ status: 0, code: "network", detail: "The server cannot be reached.", cause });
  }
  if (!response.ok)
    throw new TollgateError({
      status: response.status,
      code: "unexpected_answer",
      detail: "The page cannot be loaded.",
    });
  return (await response.json()) as Content;
}
