import { keepPreviousData } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { searchedText } from "../../../client/index.ts";
import { EmptyState, LoadError } from "../../components/notice.tsx";
import { placeOf } from "../queries/found.ts";
import { useRead } from "../queries/session.tsx";
import { useSettled } from "../queries/use-settled.ts";
import { detailOfFound, foundKinds, nameOfFound } from "../shell/found-kinds.ts";
import { PageHead, Section } from "../shell/page.tsx";
import { type PaletteEntry, useLocalEntries } from "../shell/palette-entries.ts";
import { recentlyOpened } from "../shell/recently-opened.ts";
import FoundCustomerState from "./customer/state.tsx";

const route = getRouteApi("/frame/search");

/** Each takes a few requests. */
const maxStates = 5;

/** Pages, actions and all results of a search, by type, in the order of the palette. */
export function SearchPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(q);
  const fieldId = useId();
  const settled = useSettled(text.trim());
  /** A result was chosen, and its page is loading. */
  const isLeaving = useRef(false);
  useEffect(() => {
    // A whole key must not be part of an address.
    void searchedText(settled).then((searched) => {
      if (isLeaving.current || searched !== settled) return;
      void navigate({ search: { q: settled || undefined }, replace: true });
    });
  }, [settled, navigate]);
  const search = useRead(
    ["search", settled],
    async (api, { signal }) => api.search(await searchedText(settled), { signal }),
    { enabled: settled !== "", placeholderData: keepPreviousData },
  );
  const found = settled === "" ? [] : (search.data ?? []);
  const entries = useLocalEntries(settled);
  const groupsOf = (all: PaletteEntry[]) => [...Map.groupBy(settled === "" ? [] : all, ({ group }) => group)];
  const isNothing = entries.exact.length + found.length === 0;
  const local = groupsOf(isNothing ? [...entries.exact, ...entries.similar] : entries.exact);
  const groups = [...Map.groupBy(recentlyOpened.first(found), ({ type }) => type)];
  const asSection = ([group, all]: [string, PaletteEntry[]]) => (
    <Section key={`local-${group}`} title={group}>
      <ul className="search-results" data-group={group}>
        {all.map(({ id, label, detail, icon: Icon, run }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => {
                isLeaving.current = true;
                run();
              }}
            >
              <Icon size={16} aria-hidden />
              <span className="truncate">{label}</span>
              {detail && <small className="truncate">{detail}</small>}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
  return (
    <>
      <PageHead title="Search">
        <p>
          Names match by any part, also with a typo; keys by their value, of which only a hash is sent, or by their last
          characters.
        </p>
      </PageHead>
      <label className="visually-hidden" htmlFor={fieldId}>
        Search for
      </label>
      <input
        id={fieldId}
        className="input search-field"
        type="search"
        // biome-ignore lint/a11y/noAutofocus: the field is what the page is for
        autoFocus
        maxLength={256}
        placeholder="Customers, keys, invoices, routes…"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {search.error ? (
        <LoadError error={search.error} />
      ) : settled !== "" && search.data?.length === 0 && local.length + entries.guides.length === 0 ? (
        <EmptyState icon={Search} title="Nothing was found">
          Try fewer letters, another word, an id or the number of an invoice.
        </EmptyState>
      ) : (
        <>
          {local.map(asSection)}
          {groups.map(([type, results]) => {
            const { label, icon: Icon } = foundKinds[type];
            return (
              <Section key={type} title={label}>
                <ul className="search-results">
                  {results.map((result, at) => (
                    <li key={result.id}>
                      <Link
                        {...placeOf(result)}
                        onClick={() => {
                          isLeaving.current = true;
                          recentlyOpened.add(result.id);
                        }}
                      >
                        <Icon size={16} aria-hidden />
                        <span className="truncate">{nameOfFound(result)}</span>
                        <small className="truncate">{detailOfFound(result)}</small>
                      </Link>
                      {type === "consumer" && at < maxStates && <FoundCustomerState path={result.path} />}
                    </li>
                  ))}
                </ul>
              </Section>
            );
          })}
          {/* Below the results, which must not move them. */}
          {!search.isPending && groupsOf(entries.guides).map(asSection)}
        </>
      )}
    </>
  );
}
