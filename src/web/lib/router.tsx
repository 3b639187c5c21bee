import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";
import { Listeners } from "./listeners.ts";
import { hasUnsavedInput, mayLeave } from "./unsaved.ts";

/** The pages are few and have no parameters, so paths are compared as text. Those of the documentation have their own. */
const listeners = new Listeners();

/** The page that is shown. The address is ahead of it while Back waits for the user's decision. */
let shown = window.location.pathname;
let isReturning = false;

/** The position in the history, by which a Back can be undone. Entries that only change the fragment have none. */
const indexOf = (state: unknown): number | undefined => (state as { index?: number } | null)?.index;
let index = indexOf(window.history.state) ?? 0;
if (indexOf(window.history.state) === undefined) window.history.replaceState({ index }, "");

function show(): void {
  shown = window.location.pathname;
  index = indexOf(window.history.state) ?? index;
  listeners.notify();
}

async function onPop(): Promise<void> {
  if (isReturning) {
    isReturning = false;
    return;
  }
  const target = window.location.pathname;
  if (target === shown || !hasUnsavedInput()) return show();
  const delta = (indexOf(window.history.state) ?? index - 1) - index;
  isReturning = true;
  window.history.go(-delta);
  if (!(await mayLeave())) return;
  window.history.go(delta);
}

window.addEventListener("popstate", onPop);

export function usePath(): string {
  return useSyncExternalStore(listeners.subscribe, () => shown);
}

/** Opens a page of the portal. */
export function goTo(path: string, { replace = false } = {}): void {
  if (hasUnsavedInput()) mayLeave().then((isAllowed) => isAllowed && open(path, replace));
  else open(path, replace);
}

function open(path: string, replace: boolean): void {
  if (replace) window.history.replaceState({ index }, "", path);
  else window.history.pushState({ index: index + 1 }, "", path);
  show();
  window.scrollTo(0, 0);
  // Screen readers continue at the new page.
  document.getElementById("main")?.focus();
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  onNavigate?: () => void;
}

/** Guides of a server are documents of their own. */
const isDocument = (href: string): boolean => /^\/docs\/guides(\/|$)/.test(href);

/** A link within the portal, or within the reference. */
export function Link({ href, onNavigate, ...props }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (isDocument(href) || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    event.preventDefault();
    onNavigate?.();
    goTo(href);
  };
  return <a {...props} href={href} onClick={follow} />;
}
