import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useState } from "react";
import { TollgateError } from "../../client/index.ts";
import type { DocumentationPage } from "../../client/transport/portal-schema.gen.ts";
import { Button } from "../components/button.tsx";
import { LoadError } from "../components/notice.tsx";
import { SkeletonLines } from "../components/skeleton.tsx";
import { ThemeButton } from "../components/theme-button.tsx";
import { Toasts } from "../components/toast.tsx";
import { withConnection } from "../lib/connection.ts";
import { usePath } from "../lib/router.tsx";
import { Reference } from "../reference/reference.tsx";
import type { ReferenceApi } from "../reference/reference-api.ts";
import { Frame } from "./frame.tsx";
import { TryIt } from "./try-it.tsx";

const docsPath = "/docs";

/** The pages of the management API's reference. The build has written them. */
function useNavigation() {
  return useQuery({
    queryKey: ["navigation"],
    queryFn: ({ signal }) =>
      load<Pick<ReferenceApi, "title" | "version" | "guides" | "reference">>("navigation", signal),
  });
}

function usePage(page: string) {
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

/** What the search finds beyond the pages of the reference, loaded when the reader begins to search. */
function useSearchIndex(isSearching: boolean) {
  return useQuery({
    queryKey: ["search"],
    queryFn: ({ signal }) => load<ReferenceApi[]>("search", signal),
    enabled: isSearching,
  });
}

/** The reference of the management API. */
export function App() {
  const navigation = useNavigation();
  return (
    <>
      <Frame version={navigation.data?.version} themeButton={<ThemeButton />}>
        {navigation.error ? (
          <LoadError error={navigation.error} onRetry={() => navigation.refetch()} />
        ) : navigation.data ? (
          <Page api={{ ...navigation.data, base: docsPath, url: window.location.origin, key: "YOUR_TOKEN" }} />
        ) : (
          <SkeletonLines />
        )}
      </Frame>
      <Toasts />
    </>
  );
}

function Page({ api }: { api: ReferenceApi }) {
  const page = usePath()
    .slice(docsPath.length + 1)
    .replace(/\/$/, "");
  const loaded = usePage(page);
  // Kept while the reader goes from page to page, and never stored.
  const [token, setToken] = useState("");
  const [isTrying, setTrying] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const index = useSearchIndex(isSearching);
  const guides = { ...api, title: "Guides", base: `${docsPath}/guides`, guides: [], reference: [] };
  return (
    <Reference
      apis={[guides, { ...api, title: "Reference" }]}
      api={api}
      index={index.data}
      onSearch={() => setSearching(true)}
      page={page}
      loaded={loaded}
      siteTitle="Tollgate reference"
      tryIt={(operation) =>
        isTrying ? (
          <TryIt operation={operation} token={token} onToken={setToken} />
        ) : (
          <Button kind="primary" onClick={() => setTrying(true)}>
            <Play size={14} aria-hidden />
            Try it
          </Button>
        )
      }
    />
  );
}
