import { FileText } from "lucide-react";
import { useEffect } from "react";
import type { DocumentationPage, PortalSession, PortalSite, PublishedApi } from "../../../client/portal/schema.gen.ts";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { SkeletonLines } from "../../components/skeleton.tsx";
import { Link, usePath } from "../shell/router.tsx";
import { filledNodes } from "./fill.ts";
import { DocsNavigation } from "./navigation.tsx";
import { Nodes } from "./nodes.tsx";
import { OperationLine, OperationView, ResponseExample } from "./operation-view.tsx";
import { docsPath, useDocumentation, usePage } from "./queries.ts";
import { Samples } from "./samples.tsx";
import { SchemaView } from "./schema-view.tsx";
import { TryIt } from "./try-it.tsx";

interface DocsProps {
  site: PortalSite;
  session: PortalSession | null;
}

/** The reference and the guides: navigation on the left, text, samples on the right. */
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
  const page = rest.join("/");
  return (
    <div className="docs">
      <details className="docs-menu">
        <summary>Pages of {api.title}</summary>
        <DocsNavigation apis={apis} api={api} page={page} />
      </details>
      <div className="docs-side">
        <DocsNavigation apis={apis} api={api} page={page} />
      </div>
      <Page key={`${api.slug}/${page}`} site={site} session={session} api={api} page={page} />
    </div>
  );
}

function Page({ site, session, api, page }: DocsProps & { api: PublishedApi; page: string }) {
  const loaded = usePage(page === "" ? api.slug : `${api.slug}/${page}`);
  const title = loaded.data?.title;
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${site.title}`;
  }, [title, site.title]);
  useEffect(() => {
    // The content of a deep link is there only now.
    if (title !== undefined && window.location.hash !== "")
      document.getElementById(decodeURIComponent(window.location.hash.slice(1)))?.scrollIntoView();
  }, [title]);
  if (loaded.error) return <LoadError error={loaded.error} onRetry={() => loaded.refetch()} />;
  if (!loaded.data) return <SkeletonLines />;
  const base = `${docsPath}/${api.slug}`;
  const { operation } = loaded.data;
  return (
    <div className={operation ? "docs-page docs-page-wide" : "docs-page"}>
      <article className="prose">
        <Heading page={loaded.data} base={base} path={page} />
        {operation && <OperationLine operation={operation} url={api.url} />}
        <Nodes nodes={filledNodes(loaded.data.nodes, api.url)} base={base} />
        {loaded.data.kind === "overview" && <Overview api={api} base={base} />}
        {operation && <OperationView operation={operation} api={api} base={base} />}
        {loaded.data.schema && <SchemaView schema={loaded.data.schema} base={base} />}
      </article>
      {operation ? (
        <aside className="docs-samples" aria-label="Samples">
          <Samples operation={operation} api={api} />
          <TryIt operation={operation} api={api} session={session} />
          <ResponseExample operation={operation} />
        </aside>
      ) : (
        <Contents page={loaded.data} />
      )}
      <Neighbours api={api} page={page} base={base} />
    </div>
  );
}

function Heading({ page, base, path }: { page: DocumentationPage; base: string; path: string }) {
  return (
    <header className="docs-head">
      <h1>
        {page.title}
        {page.operation?.isDeprecated && <span className="deprecated-mark">Deprecated</span>}
      </h1>
      <a className="docs-markdown" href={path === "" ? `${base}.md` : `${base}/${path}.md`}>
        <FileText size={14} aria-hidden />
        Markdown
      </a>
    </header>
  );
}

/** The headings of a guide. */
function Contents({ page }: { page: DocumentationPage }) {
  const headings = page.headings.filter(({ level }) => level <= 3);
  if (headings.length < 2) return null;
  return (
    <aside className="docs-contents" aria-label="On this page">
      <p>On this page</p>
      <ul>
        {headings.map(({ id, text, level }) => (
          <li key={id} className={level === 3 ? "deeper" : undefined}>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </aside>
  );
}

function Overview({ api, base }: { api: PublishedApi; base: string }) {
  const guides = api.guides.flatMap(({ entries }) => entries).slice(0, 4);
  const groups = api.reference.filter(({ entries }) => !entries[0]?.page.startsWith("schemas/"));
  return (
    <>
      <dl className="facts">
        <dt>Address</dt>
        <dd>
          <code className="wrap-anywhere">{api.url}</code>
        </dd>
        {api.version !== "" && (
          <>
            <dt>Version</dt>
            <dd>{api.version}</dd>
          </>
        )}
      </dl>
      {guides.length > 0 && (
        <div className="step-links">
          {guides.map(({ page, label, text }) => (
            <Link key={page} className="step-link" href={`${base}/${page}`}>
              <strong>{label}</strong>
              {text && <span>{text}</span>}
            </Link>
          ))}
        </div>
      )}
      {groups.map(({ label, entries }) => (
        <section key={label} className="op-section">
          <h2>{label}</h2>
          <ul className="op-list">
            {entries.slice(0, 50).map(({ page, label: name, method, path }) => (
              <li key={page}>
                <Link href={`${base}/${page}`}>
                  <span className="op-list-name">{name}</span>
                  <code>
                    {method} {path}
                  </code>
                </Link>
              </li>
            ))}
            {entries.length > 50 && <li className="muted small">And {entries.length - 50} more.</li>}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The pages before and after, in the order of the navigation. */
function Neighbours({ api, page, base }: { api: PublishedApi; page: string; base: string }) {
  const all = [...api.guides, ...api.reference].flatMap(({ entries }) => entries);
  const index = all.findIndex((entry) => entry.page === page);
  const before = all[index - 1];
  const after = all[index + 1];
  if (index === -1) return null;
  return (
    <nav className="neighbours" aria-label="Previous and next page">
      {before ? (
        <Link href={`${base}/${before.page}`}>
          <span>Previous</span>
          {before.label}
        </Link>
      ) : (
        <span />
      )}
      {after && (
        <Link href={`${base}/${after.page}`} className="after">
          <span>Next</span>
          {after.label}
        </Link>
      )}
    </nav>
  );
}
