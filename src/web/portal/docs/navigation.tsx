import { ChevronRight, Search } from "lucide-react";
import { useState } from "react";
import type { PublishedApi } from "../../../client/portal/schema.gen.ts";
import { Link } from "../shell/router.tsx";
import { Method } from "./method.tsx";
import { docsPath, search } from "./queries.ts";

/** Larger groups are folded unless the current page is in them. */
const maxOpen = 30;

interface NavigationProps {
  apis: PublishedApi[];
  api: PublishedApi;
  /** Below the API's own path. */
  page: string;
}

/** Search, the APIs if there are several, and the pages of the current one. */
export function DocsNavigation({ apis, api, page }: NavigationProps) {
  const [text, setText] = useState("");
  const found = search(apis, text);
  const base = `${docsPath}/${api.slug}`;
  return (
    <nav className="docs-nav" aria-label="Documentation">
      <div className="docs-search">
        <Search size={14} aria-hidden />
        <input
          type="search"
          placeholder="Search"
          aria-label="Search the documentation"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {text.trim() !== "" ? (
        <ul aria-label="Results">
          {found.map(({ api: owner, entry, group }) => (
            <li key={`${owner.slug} ${entry.page}`}>
              <Link href={`${docsPath}/${owner.slug}/${entry.page}`} onNavigate={() => setText("")}>
                <span className="docs-label">{entry.label}</span>
                {entry.method ? <Method method={entry.method} /> : <span className="faint small">{group}</span>}
              </Link>
            </li>
          ))}
          {found.length === 0 && <li className="docs-none">Nothing found.</li>}
        </ul>
      ) : (
        <>
          {apis.length > 1 && (
            <ul className="docs-apis" aria-label="APIs">
              {apis.map(({ slug, title }) => (
                <li key={slug}>
                  <Link href={`${docsPath}/${slug}`} aria-current={slug === api.slug ? "true" : undefined}>
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          )}
          <ul>
            <li>
              <Link href={base} aria-current={page === "" ? "page" : undefined}>
                <span className="docs-label">Overview</span>
              </Link>
            </li>
          </ul>
          {[...api.guides, ...api.reference].map((group) => (
            <Group key={group.label} group={group} base={base} page={page} />
          ))}
        </>
      )}
    </nav>
  );
}

function Group({ group, base, page }: { group: PublishedApi["reference"][number]; base: string; page: string }) {
  const isCurrent = group.entries.some((entry) => entry.page === page);
  const isSchemas = group.entries[0]?.page.startsWith("schemas/") ?? false;
  return (
    <details className="docs-group" open={isCurrent || (group.entries.length <= maxOpen && !isSchemas)}>
      <summary>
        {group.label}
        <ChevronRight size={14} aria-hidden />
      </summary>
      <ul>
        {group.entries.map((entry) => (
          <li key={entry.page}>
            <Link href={`${base}/${entry.page}`} aria-current={entry.page === page ? "page" : undefined}>
              <span className={entry.isDeprecated ? "docs-label deprecated" : "docs-label"}>{entry.label}</span>
              {entry.method && <Method method={entry.method} />}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}
