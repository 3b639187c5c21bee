import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Activity, BookOpen, type LucideIcon, Plus, Search, Settings } from "lucide-react";
import { searchedText } from "../../../client/index.ts";
import { beginWords, wordsOf } from "../../../lib/text/words.ts";
import { toast } from "../../components/toast.tsx";
import { chooseTheme, themes } from "../../lib/themes.ts";
import { type Found, placeOf } from "../queries/found.ts";
import { useSession } from "../queries/session.tsx";
import { useSettled } from "../queries/use-settled.ts";
import { detailOfFound, foundKinds, nameOfFound } from "./found-kinds.ts";
import { places } from "./places.ts";
import { recentlyOpened } from "./recently-opened.ts";
import { settingsPages } from "./settings-pages.ts";

export interface PaletteEntry {
  id: string;
  group: string;
  label: string;
  detail?: string | undefined;
  icon: LucideIcon;
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
  return { ...found, entries: [...useLocalEntries(phrase), ...found.entries, ...all] };
}

/** Pages and actions that match any part of their name, and what explains the id of a request. */
export function useLocalEntries(phrase: string): PaletteEntry[] {
  const local = [...usePlaces(), ...useActions()];
  // Pages of the settings are found by their name only: the list without a text is short.
  const settings = useSettingsPages().filter(() => phrase !== "");
  const matching = [...local, ...settings].filter(({ label }) => label.toLowerCase().includes(phrase.toLowerCase()));
  return [...matching, ...useRequestIds(phrase)];
}

function useFound(phrase: string) {
  const { api } = useSession();
  const navigate = useNavigate();
  const settledPhrase = useSettled(phrase.slice(0, maxTextLength));
  const search = useQuery({
    queryKey: ["search", settledPhrase],
    queryFn: async ({ signal }) => api.search(await searchedText(settledPhrase), { signal }),
    enabled: settledPhrase !== "",
    placeholderData: keepPreviousData,
    staleTime: 5000,
  });
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

const fits = ({ name, id, detail }: Found, phrase: string): boolean =>
  id.startsWith(phrase) || name.endsWith(phrase) || beginWords(wordsOf(phrase), wordsOf(`${name} ${detail ?? ""}`));

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

function usePlaces(): PaletteEntry[] {
  const navigate = useNavigate();
  return places.map(({ to, label, icon }) => ({
    id: to,
    group: "Go to",
    label,
    icon,
    run: () => void navigate({ to }),
  }));
}

function useSettingsPages(): PaletteEntry[] {
  const navigate = useNavigate();
  return settingsPages.map(({ value, label }) => ({
    id: `settings-${value}`,
    group: "Go to",
    label: `Settings: ${label}`,
    icon: Settings,
    run: () => void navigate({ to: "/settings", search: { tab: value } }),
  }));
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
