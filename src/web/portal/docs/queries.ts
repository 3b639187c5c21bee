import { useQuery } from "@tanstack/react-query";
import type { DocumentationPage, PublishedApi } from "../../../client/portal/schema.gen.ts";
import { call } from "../queries/api.ts";

export const docsPath = "/docs";

/** The APIs with the pages of their guides and references. */
export function useDocumentation(isEnabled: boolean) {
  return useQuery({
    queryKey: ["docs"],
    queryFn: ({ signal }): Promise<{ data: PublishedApi[] }> => call("getPortalDocumentation", { signal }),
    staleTime: 60_000,
    enabled: isEnabled,
  });
}

export function usePage(path: string) {
  return useQuery({
    queryKey: ["docs", "page", path],
    queryFn: ({ signal }): Promise<DocumentationPage> => call("getPortalPage", { query: { path }, signal }),
    staleTime: 60_000,
  });
}
