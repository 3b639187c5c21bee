import { type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";

/** No name means the theme of the system. */
export const themes: { name: "light" | "dark" | undefined; label: string; icon: LucideIcon }[] = [
  { name: "light", label: "Light", icon: Sun },
  { name: "dark", label: "Dark", icon: Moon },
  { name: undefined, label: "System", icon: Monitor },
];

const storageKey = "tollgate-theme";

export function chooseTheme(name: "light" | "dark" | undefined): void {
  const { dataset } = document.documentElement;
  if (name === undefined) {
    delete dataset.theme;
    localStorage.removeItem(storageKey);
  } else {
    dataset.theme = name;
    localStorage.setItem(storageKey, name);
  }
}

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** The chosen theme, "System" by default. */
export function useTheme() {
  const chosen = useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme);
  return themes.find(({ name }) => name === chosen)!;
}
