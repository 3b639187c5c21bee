import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";

/** The pages are few and have no parameters, so paths are compared as text. Those of the documentation have their own. */
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => window.location.pathname);
}

/** Opens a page of the portal. */
export function goTo(path: string, { replace = false } = {}): void {
  if (replace) window.history.replaceState(null, "", path);
  else window.history.pushState(null, "", path);
  for (const listener of listeners) listener();
  window.scrollTo(0, 0);
  // Screen readers continue at the new page.
  document.getElementById("main")?.focus();
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string;
  onNavigate?: () => void;
}

/** A link within the portal. */
export function Link({ href, onNavigate, ...props }: LinkProps) {
  const open = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onNavigate?.();
    goTo(href);
  };
  return <a {...props} href={href} onClick={open} />;
}
