import type { UseQueryResult } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import type { DocumentationPage, OperationPage, PageNode } from "../../client/transport/portal-schema.gen.ts";
import { Facts } from "../components/facts.tsx";
import { LoadError, SkeletonLines } from "../components/notice.tsx";
import { Link } from "../lib/router.tsx";
import { CodeBlock, SampleTabs } from "./code-block.tsx";
import { DocsNavigation, type NavigationProps } from "./navigation.tsx";
import { Base, Nodes } from "./nodes.tsx";
import { OperationLine, OperationView, ResponseExamples } from "./operation-view.tsx";
import type { ReferenceApi } from "./reference-api.ts";
import { SchemaView } from "./schema-view.tsx";

const stored = "portal-language";

function lastLanguage(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

/** The request in several languages. */
function Samples({ operation, api }: { operation: OperationPage; api: ReferenceApi }) {
  const [language, setLanguage] = useState(lastLanguage);
  const { samples } = operation;
  const sample = samples.find((each) => each.language === language) ?? samples[0];
  if (!sample) return null;
  const choose = (name: string) => {
    setLanguage(name);
    try {
      localStorage.setItem(stored, name);
    } catch {
      // Without storage the choice lasts until the page is left.
    }
  };
  return (
    <div className="samples">
      <SampleTabs
        label="Language"
        names={samples.map((each) => each.language)}
        shown={sample.language}
        onChoose={choose}
      />
      <CodeBlock text={filledText(sample.code, api)} label={sample.language} />
    </div>
  );
}

interface ReferenceProps extends NavigationProps {
  /** The query of this page. */
  loaded: Pick<UseQueryResult<DocumentationPage>, "data" | "error">;
  /** The name of the site, for the title of the window. */
  siteTitle: string;
  /** The address of the page as Markdown. */
  markdown?: string;
  /** A form that sends the operation. */
  tryIt(operation: OperationPage): ReactNode;
}

/** A page of the reference or a guide: navigation on the left, text, samples on the right. */
export function Reference(props: ReferenceProps) {
  const { api, page } = props;
  const navigation = <DocsNavigation {...props} />;
  return (
    <div className="docs">
      <details className="docs-menu" key={page}>
        <summary>Search, and pages of {api.title}</summary>
        {navigation}
      </details>
      <div className="docs-side">{navigation}</div>
      <Page key={`${api.base}/${page}`} {...props} />
    </div>
  );
}

function Page({ api, page, loaded, siteTitle, markdown, tryIt }: ReferenceProps) {
  const title = loaded.data?.title;
  useEffect(() => {
    const isSite = title === undefined || siteTitle.startsWith(title);
    document.title = isSite ? siteTitle : `${title} · ${siteTitle}`;
  }, [title, siteTitle]);
  useEffect(() => {
    // The content of a deep link is there only now.
    if (title !== undefined && window.location.hash !== "")
      document.getElementById(decodeURIComponent(window.location.hash.slice(1)))?.scrollIntoView();
  }, [title]);
  const back = (
    <Link className="button" href={api.base}>
      Show the overview
    </Link>
  );
  if (loaded.error) return <LoadError error={loaded.error} back={back} />;
  if (!loaded.data) return <SkeletonLines />;
  const { kind, nodes, operation, schema } = loaded.data;
  return (
    <Base value={api.base}>
      <div className={operation ? "docs-page docs-page-wide" : "docs-page"}>
        <article className="prose">
          <Heading page={loaded.data} markdown={markdown} />
          {operation && <OperationLine operation={operation} url={api.url} />}
          <Nodes nodes={filledNodes(nodes, api)} />
          {kind === "overview" && <Overview api={api} />}
          {operation && <OperationView operation={operation} title={api.title} />}
          {schema && <SchemaView schema={schema} />}
        </article>
        {operation ? (
          <aside className="docs-samples" aria-label="Samples">
            <Samples operation={operation} api={api} />
            {tryIt(operation)}
            <ResponseExamples operation={operation} />
          </aside>
        ) : (
          <Contents page={loaded.data} />
        )}
        <Neighbours api={api} page={page} />
      </div>
    </Base>
  );
}

function Heading({ page, markdown }: { page: DocumentationPage; markdown: string | undefined }) {
  return (
    <header className="docs-head">
      <h1>
        {page.title}
        {page.operation?.isDeprecated && <span className="deprecated-mark">Deprecated</span>}
      </h1>
      {markdown !== undefined && (
        <a className="docs-markdown" href={markdown}>
          <FileText size={14} aria-hidden />
          Markdown
        </a>
      )}
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

function Overview({ api }: { api: ReferenceApi }) {
  const { base } = api;
  const guides = api.guides.flatMap(({ entries }) => entries).slice(0, 4);
  const groups = api.reference.filter(({ entries }) => !entries[0]?.page.startsWith("schemas/"));
  return (
    <>
      <Facts
        of={{
          Address: <code className="wrap-anywhere">{api.url}</code>,
          Version: api.version !== "" && api.version,
        }}
      />
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
function Neighbours({ api, page }: { api: ReferenceApi; page: string }) {
  const { base } = api;
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

type Placeholders = Pick<ReferenceApi, "url" | "key">;

/** Replaces the placeholders of text by the API's address and key. */
export function filledText(text: string, { url, key }: Placeholders): string {
  return text.replaceAll("{{url}}", url).replaceAll("{{key}}", key);
}

export function filledNodes(nodes: PageNode[], placeholders: Placeholders): PageNode[] {
  return nodes.map((node) => {
    if (typeof node === "string") return filledText(node, placeholders);
    return node.children ? { ...node, children: filledNodes(node.children, placeholders) } : node;
  });
}
