import { ChevronRight, Search } from "lucide-react";
import { useState } from "react";
import { Link } from "../lib/router.tsx";
import { Method } from "./method.tsx";
import type { ReferenceApi } from "./reference-api.ts";
import { excerptOf, search } from "./search.ts";

/** Larger groups, and all groups of APIs with many pages, are folded unless the current page is in them. */
const maxOpen = 30;
const maxOpenInAll = 100;

export interface NavigationProps {
  apis: ReferenceApi[];
  api: ReferenceApi;
  /** Below the API's own path; empty for the overview. */
  page: string;
  /** What the search finds; the pages of all APIs by default. */
  index?: ReferenceApi[] | undefined;
  /** Called when the reader begins to search. */
  onSearch?: (() => void) | undefined;
}

/** Search, the APIs if there are several, and the pages of the current one. */
export function DocsNavigation({ apis, api, page, index = apis, onSearch }: NavigationProps) {
  const [text, setText] = useState("");
  const found = search(index, text);
  const groups = [...api.guides, ...api.reference];
  const isLong = groups.flatMap(({ entries }) => entries.filter(isNoSchema)).length > maxOpenInAll;
  const { base } = api;
  return (
    <nav className="docs-nav" aria-label="Documentation">
      <div className="docs-search">
        <Search size={14} aria-hidden />
        <input
          type="search"
          placeholder="Search"
          aria-label="Search the documentation"
          value={text}
          onFocus={onSearch}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {text.trim() !== "" ? (
        <ul aria-label="Results">
          {found.map(({ api: owner, entry, group }) => (
            <li key={`${owner.base} ${entry.page}`}>
              <Link href={`${owner.base}/${entry.page}`} onNavigate={() => setText("")}>
                <span className="docs-label">{entry.label}</span>
                {entry.method ? <Method method={entry.method} /> : <span className="faint small">{group}</span>}
                <Excerpt text={excerptOf(entry, text)} />
              </Link>
            </li>
          ))}
          {found.length === 0 && <li className="docs-none">Nothing found.</li>}
        </ul>
      ) : (
        <>
          {apis.length > 1 && (
            <ul className="docs-apis" aria-label="APIs">
              {apis.map(({ base: path, title }) => (
                <li key={path}>
                  <Link href={path} aria-current={path === base ? "true" : undefined}>
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
          {groups.map((group) => (
            <Group key={group.label} group={group} base={base} page={page} isFolded={isLong} />
          ))}
        </>
      )}
    </nav>
  );
}

const Excerpt = ({ text }: { text: string }) => text !== "" && <span className="docs-excerpt">{text}</span>;

interface GroupProps {
  group: ReferenceApi["reference"][number];
  base: string;
  page: string;
  isFolded: boolean;
}

const isNoSchema = ({ page }: { page: string }): boolean => !page.startsWith("schemas/");

function Group({ group, base, page, isFolded }: GroupProps) {
  const isCurrent = group.entries.some((entry) => entry.page === page);
  const isShort = group.entries.length <= maxOpen && group.entries.every(isNoSchema);
  return (
    <details className="docs-group" open={isCurrent || (isShort && !isFolded)}>
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
