import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import type {
  DocumentationPage,
  PortalSession,
  PortalSite,
  PublishedApi,
} from "../../../client/transport/portal-schema.gen.ts";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { usePath } from "../../lib/router.tsx";
import { Reference } from "../../reference/reference.tsx";
import type { ReferenceApi } from "../../reference/reference-api.ts";
import { call } from "../queries/api.ts";
import { useCreatedKey } from "../queries/created-key.ts";
import { TryIt } from "./try-it.tsx";

const docsPath = "/docs";

/** The APIs with the pages of their guides and references. */
function useDocumentation(isEnabled: boolean) {
  return useQuery({
    queryKey: ["docs"],
    queryFn: ({ signal }): Promise<{ data: PublishedApi[] }> => call("getPortalDocumentation", { signal }),
    staleTime: 60_000,
    enabled: isEnabled,
  });
}

function usePage(path: string) {
  return useQuery({
    queryKey: ["docs", "page", path],
    queryFn: ({ signal }): Promise<DocumentationPage> => call("getPortalPage", { query: { path }, signal }),
    staleTime: 60_000,
  });
}

interface DocsProps {
  site: PortalSite;
  session: PortalSession | null;
}

/** The reference and the guides of the portal's APIs. */
export default function Docs({ site, session }: DocsProps) {
  const documentation = useDocumentation(true);
  const path = decodeURIComponent(usePath())
    .slice(docsPath.length + 1)
    .replace(/\/$/, "");
  if (documentation.error) return <LoadError error={documentation.error} onRetry={() => documentation.refetch()} />;
  const apis = documentation.data?.data;
  if (!apis) return <SkeletonLines />;
  const [slug, ...rest] = path.split("/");
  const api = path === "" ? apis[0] : apis.find((each) => each.slug === slug);
  if (!api)
    return (
      <>
        <div className="site-head-row">
          <h1>Documentation</h1>
        </div>
        <EmptyState
          icon={<FileText size={20} aria-hidden />}
          title={apis.length === 0 ? "No documentation yet" : "There is no such page"}
        >
          {apis.length === 0
            ? "The reference and the guides appear here with the next deployment of the API."
            : "The address may be mistyped, or the page was removed."}
        </EmptyState>
      </>
    );
  return <Page apis={apis} api={api} page={rest.join("/")} site={site} session={session} />;
}

interface PageProps extends DocsProps {
  apis: PublishedApi[];
  api: PublishedApi;
  page: string;
}

/** Samples have the visitor's own key if it was created since the page was loaded. */
function Page({ apis, api, page, site, session }: PageProps) {
  const loaded = usePage(page === "" ? api.slug : `${api.slug}/${page}`);
  const key = useCreatedKey() ?? "YOUR_API_KEY";
  const presented = ({ slug, ...each }: PublishedApi): ReferenceApi => ({ ...each, base: `${docsPath}/${slug}`, key });
  const shown = presented(api);
  return (
    <Reference
      apis={apis.map(presented)}
      api={shown}
      page={page}
      loaded={loaded}
      siteTitle={site.title}
      markdown={page === "" ? `${shown.base}.md` : `${shown.base}/${page}.md`}
      tryIt={(operation) => <TryIt operation={operation} api={api} session={session} />}
    />
  );
}
