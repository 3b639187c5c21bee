import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, BookOpen, type LucideIcon, Plus, Search } from "lucide-react";
import { searchedText } from "../../../client/index.ts";
import { beginsAlmost, beginWords, wordsOf } from "../../../lib/text/words.ts";
import { toast } from "../../components/toast.tsx";
import { chooseTheme, themes } from "../../lib/themes.ts";
import { type Found, placeOf } from "../queries/found.ts";
import { useRead, useSession } from "../queries/session.tsx";
import { useSettled } from "../queries/use-settled.ts";
import { detailOfFound, foundKinds, nameOfFound } from "./found-kinds.ts";
import { namedTabs, places } from "./places.ts";
import { recentlyOpened } from "./recently-opened.ts";
import { settingsPages } from "./settings-pages.ts";

export interface PaletteEntry {
  id: string;
  group: string;
  label: string;
  detail?: string | undefined;
  icon: LucideIcon;
  /** Other words that find it. */
  about?: string | undefined;
  /** What the server has found. */
  found?: Found;
  run: () => void;
}

const maxTextLength = 256;

/**
 * Pages and actions that match any part of their name, followed by search results. Earlier entries keep their position.
 */
export function usePaletteEntries(text: string) {
  const phrase = text.trim();
  const found = useFound(phrase);
  const all = useAllResults(phrase, found.entries.length);
  const local = useLocalEntries(phrase);
  const entries = [...local.exact, ...found.entries, ...all];
  return { ...found, entries: [...entries, ...(entries.length === 0 ? local.similar : []), ...local.guides] };
}

/** Shorter words begin too many others. */
const minAbout = 3;
const maxGuides = 4;

/**
 * Pages and actions that match any part of their name or other words for it, what explains the id of a request, those
 * that are similar to the text, and guides.
 */
export function useLocalEntries(phrase: string) {
  const { pages, tabs } = usePlaces();
  const shown = [...pages, ...useActions()];
  // Without a text the list is short.
  const all = phrase === "" ? shown : [...shown, ...tabs];
  const words = wordsOf(phrase);
  const known = all.map((entry) => ({ entry, words: wordsOf(`${entry.label} ${entry.about ?? ""}`) }));
  const exact = known.filter(
    ({ entry: { label }, words: own }) =>
      label.toLowerCase().includes(phrase.toLowerCase()) ||
      (words.length > 0 && words.some((word) => word.length >= minAbout) && beginWords(words, own)),
  );
  const similar = known.filter(({ words: own }) => words.every((word) => own.some((each) => beginsAlmost(each, word))));
  const isNamed = ({ entry }: { entry: PaletteEntry }) => beginWords(words, wordsOf(entry.label));
  const inOrder = [...exact.filter(isNamed), ...exact.filter((each) => !isNamed(each))];
  return {
    exact: [...inOrder.map(({ entry }) => entry), ...useRequestIds(phrase)],
    similar: words.length === 0 ? [] : similar.map(({ entry }) => entry),
    guides: useGuides(phrase),
  };
}

/** The pages of the documentation, which are loaded with the first search. */
function useGuides(phrase: string): PaletteEntry[] {
  const guides = useQuery({
    queryKey: ["guides"],
    queryFn: async ({ signal }) => {
      const [{ search }, response] = await Promise.all([
        import("../../reference/search.ts"),
        fetch("/docs/pages/search.json", { signal }),
      ]);
      const [pages] = (await response.json()) as Parameters<typeof search>[0];
      return (text: string) => search([pages!], text);
    },
    enabled: phrase.length >= minAbout,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (phrase.length < minAbout || !guides.data) return [];
  return guides
    .data(phrase)
    .slice(0, maxGuides)
    .map(({ api, entry, group }) => ({
      id: `guide-${entry.page}`,
      group: "Guides",
      label: entry.label,
      detail: group,
      icon: BookOpen,
      run: () => window.location.assign(`${api.base}/${entry.page}`),
    }));
}

function useFound(phrase: string) {
  const navigate = useNavigate();
  const settledPhrase = useSettled(phrase.slice(0, maxTextLength));
  const search = useRead(
    ["search", settledPhrase],
    async (api, { signal }) => api.search(await searchedText(settledPhrase), { signal }),
    { enabled: settledPhrase !== "", placeholderData: keepPreviousData, staleTime: 5000 },
  );
  const known = phrase === "" ? [] : (search.data ?? []);
  // Until new results arrive, matching results of a shorter text are shown.
  const fitting =
    search.isPlaceholderData || settledPhrase !== phrase ? known.filter((found) => fits(found, phrase)) : known;
  const groups = Map.groupBy(recentlyOpened.first(fitting), ({ type }) => type);
  const entries = [...groups.values()].flat().map((found): PaletteEntry => {
    const { label, icon } = foundKinds[found.type];
    return {
      id: found.id,
      group: label,
      label: nameOfFound(found),
      detail: detailOfFound(found),
      icon,
      found,
      run: () => {
        recentlyOpened.add(found.id);
        void navigate(placeOf(found));
      },
    };
  });
  return {
    entries,
    error: search.error,
    isSearching: phrase !== "" && (search.isFetching || settledPhrase !== phrase),
  };
}

const fits = ({ name, displayName, id, detail }: Found, phrase: string): boolean =>
  id.startsWith(phrase) ||
  name.endsWith(phrase) ||
  beginWords(wordsOf(phrase), wordsOf([name, displayName, detail].join(" ")));

/** The page with all results, for those who want to compare them. */
function useAllResults(phrase: string, count: number): PaletteEntry[] {
  const navigate = useNavigate();
  if (phrase === "" || count < 2) return [];
  return [
    {
      id: "all-results",
      group: "Search",
      label: `Show all results for “${phrase}”`,
      icon: Search,
      // A whole key must not be part of an address.
      run: () => void searchedText(phrase).then((q) => navigate({ to: "/search", search: { q } })),
    },
  ];
}

/** Ids of requests link to the request, or to the requests with this x-request-id. */
function useRequestIds(phrase: string): PaletteEntry[] {
  const navigate = useNavigate();
  const isOurs = /^req_[0-9A-Za-z]{24}$/.test(phrase);
  if (!isOurs && !/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(phrase)) return [];
  const search = isOurs ? { request: phrase } : { id: phrase };
  return [
    {
      id: "request",
      group: "Requests",
      label: `Explain request ${phrase}`,
      icon: Activity,
      run: () => void navigate({ to: "/requests", search }),
    },
  ];
}

/** Pages, and their tabs that have a name. */
function usePlaces(): { pages: PaletteEntry[]; tabs: PaletteEntry[] } {
  const navigate = useNavigate();
  const entry = ({ label, to, search = {}, about }: (typeof namedTabs)[number]): PaletteEntry => ({
    id: `${to} ${label}`,
    group: "Go to",
    label,
    about,
    icon: places.findLast((place) => to.startsWith(place.to))!.icon,
    run: () => void navigate({ to, search }),
  });
  const settings = settingsPages.map(({ value, label, about }) =>
    entry({ label: `Settings: ${label}`, to: "/settings", search: { tab: value }, about }),
  );
  return { pages: places.map(entry), tabs: [...namedTabs.map(entry), ...settings] };
}

function useActions(): PaletteEntry[] {
  const navigate = useNavigate();
  const { deniedEdit, deniedBill } = useSession();
  const create = (
    label: string,
    to: string,
    search: { new: true; tab?: string } | { proxy: "new" } = { new: true },
    denied = deniedEdit,
  ): PaletteEntry => ({
    id: label,
    group: "Actions",
    label,
    about: "new add",
    detail: denied && "Not allowed for your role",
    icon: Plus,
    run: () => (denied ? toast(denied, "red") : void navigate({ to, search })),
  });
  return [
    create("Create consumer", "/consumers"),
    create("Create plan", "/plans"),
    create("Create subscription", "/subscriptions"),
    create("Create credit pack", "/billing", { tab: "packs", new: true }, deniedBill),
    create("Create webhook", "/webhooks"),
    create("Add domain", "/domains"),
    create("Deploy a project", "/deployments"),
    create("Put a gateway in front of a URL", "/deployments", { proxy: "new" }),
    ...themes.map(({ name, label, icon }) => ({
      id: `theme-${label}`,
      group: "Actions",
      label: `Theme: ${label}`,
      icon,
      run: () => chooseTheme(name),
    })),
    {
      id: "docs",
      group: "Actions",
      label: "Open the API reference",
      icon: BookOpen,
      run: () => window.location.assign("/docs"),
    },
  ];
}
