import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  Activity,
  BookOpen,
  Boxes,
  Globe,
  KeyRound,
  type LucideIcon,
  Plus,
  ReceiptText,
  Rocket,
  Users,
} from "lucide-react";
import { toast } from "../../components/toast.tsx";
import { chooseTheme, themes } from "../../lib/themes.ts";
import { type Found, partsOf, placeOf } from "../queries/found.ts";
import { useSession } from "../queries/session.tsx";
import { useSettled } from "../queries/use-settled.ts";
import { places } from "./places.ts";

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
  const local = [...usePlaces(), ...useActions()];
  const matching = local.filter(({ label }) => label.toLowerCase().includes(phrase.toLowerCase()));
  return { ...found, entries: [...matching, ...useRequestIds(phrase), ...found.entries] };
}

function useFound(phrase: string) {
  const { api } = useSession();
  const navigate = useNavigate();
  const settledPhrase = useSettled(phrase.slice(0, maxTextLength));
  const search = useQuery({
    queryKey: ["search", settledPhrase],
    queryFn: ({ signal }) => api.search(settledPhrase, { signal }),
    enabled: settledPhrase !== "",
    placeholderData: keepPreviousData,
    staleTime: 5000,
  });
  const known = phrase === "" ? [] : (search.data ?? []);
  // Until new results arrive, matching results of a shorter text are shown.
  const fitting =
    search.isPlaceholderData || settledPhrase !== phrase ? known.filter((found) => fits(found, phrase)) : known;
  const entries = fitting.map((found): PaletteEntry => {
    const { label, icon } = kinds[found.type];
    const name = found.name || found.id;
    return {
      id: found.id,
      group: label,
      label: name,
      detail: detailOf(found),
      icon,
      run: () => void navigate(placeOf(found)),
    };
  });
  return {
    entries,
    error: search.error,
    isSearching: phrase !== "" && (search.isFetching || settledPhrase !== phrase),
  };
}

const fits = ({ name, id }: Found, phrase: string): boolean =>
  name.startsWith(phrase) || id.startsWith(phrase) || name.endsWith(phrase);

const kinds: Record<Found["type"], { label: string; icon: LucideIcon }> = {
  consumer: { label: "Consumers", icon: Users },
  deployment: { label: "Deployments", icon: Rocket },
  domain: { label: "Domains", icon: Globe },
  plan: { label: "Plans", icon: Boxes },
  subscription: { label: "Subscriptions", icon: ReceiptText },
  key: { label: "Keys", icon: KeyRound },
};

/** The location of the result, unless its name contains it. */
function detailOf({ type, path, id, name }: Found): string | undefined {
  const parts = partsOf(path);
  if (type === "consumer") return parts[3];
  if (type === "key") return `${parts[5]} · ${parts[3]}`;
  return id === name ? undefined : id;
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

function useActions(): PaletteEntry[] {
  const navigate = useNavigate();
  const { deniedEdit } = useSession();
  const create = (
    label: string,
    to: string,
    search: { new: true } | { proxy: "new" } = { new: true },
  ): PaletteEntry => ({
    id: label,
    group: "Actions",
    label,
    detail: deniedEdit && "Not allowed for your role",
    icon: Plus,
    run: () => (deniedEdit ? toast(deniedEdit, "red") : void navigate({ to, search })),
  });
  return [
    create("Create consumer", "/consumers"),
    create("Create plan", "/plans"),
    create("Create subscription", "/subscriptions"),
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
