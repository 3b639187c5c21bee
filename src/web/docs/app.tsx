import { Play } from "lucide-react";
import { useState } from "react";
import { Button } from "../components/button.tsx";
import { LoadError } from "../components/notice.tsx";
import { SkeletonLines } from "../components/skeleton.tsx";
import { ThemeButton } from "../components/theme-button.tsx";
import { Toasts } from "../components/toast.tsx";
import { Link, usePath } from "../lib/router.tsx";
import { Reference } from "../reference/reference.tsx";
import type { ReferenceApi } from "../reference/reference-api.ts";
import { docsPath, useNavigation, usePage } from "./queries.ts";
import { TryIt } from "./try-it.tsx";

/** The reference of the management API. */
export function App() {
  const navigation = useNavigation();
  return (
    <>
      <div className="site">
        <header className="site-head">
          <a className="visually-hidden" href="#main">
            Skip to the content
          </a>
          <div className="site-bar">
            <Link href={docsPath} className="site-name">
              <img src="/console/icon.svg" alt="" />
              <span className="truncate">Tollgate API reference</span>
            </Link>
            <a href="/console">Console</a>
            <ThemeButton />
          </div>
        </header>
        <main className="site-main" id="main" tabIndex={-1}>
          {navigation.error ? (
            <LoadError error={navigation.error} onRetry={() => navigation.refetch()} />
          ) : navigation.data ? (
            <Page api={{ ...navigation.data, base: docsPath, url: window.location.origin, key: "YOUR_TOKEN" }} />
          ) : (
            <SkeletonLines />
          )}
        </main>
        <footer className="site-foot">
          <div>
            <span>Tollgate {navigation.data?.version}</span>
            <a href="/openapi.json">OpenAPI document</a>
          </div>
        </footer>
      </div>
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
  return (
    <Reference
      apis={[api]}
      api={api}
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
