import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatches } from "@tanstack/react-router";
import { Lock, Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/notice.tsx";
import { Toasts } from "../../components/toast.tsx";
import { loadLater } from "../../lib/load-later.ts";
import { SessionProvider, useSession, whoAmI } from "../queries/session.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { places } from "./places.ts";
import { Sidebar } from "./sidebar.tsx";
import { contentId, SkipLinks } from "./skip-links.tsx";
import { ThemeMenu } from "./theme-menu.tsx";
import { UserMenu } from "./user-menu.tsx";

const loadPalette = () => import("./palette.tsx");
const Palette = lazy(loadPalette);

/** Sidebar, header and page. The route guarantees a session. */
export function Frame() {
  // The route has just read it.
  const identity = useQuery({ ...whoAmI, refetchOnMount: false });
  if (!identity.data) return null;
  return (
    <SessionProvider identity={identity.data}>
      <Shell />
    </SessionProvider>
  );
}

function Shell() {
  const [isSheetOpen, setSheetOpen] = useState(false);
  const palette = usePalette();
  const isReadable = useIsReadable();
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  return (
    <div className="frame">
      <SkipLinks />
      <Sidebar />
      <div className="main">
        <header className="header">
          <span className="menu-button">
            <Button kind="quiet" isIcon aria-label="Open the menu" onClick={() => setSheetOpen(true)}>
              <MenuIcon size={18} aria-hidden />
            </Button>
          </span>
          <Breadcrumb />
          <button type="button" className="search-trigger" onClick={palette.open}>
            <Search size={14} aria-hidden />
            <span>Search…</span>
            <kbd aria-hidden>{isApple ? "⌘K" : "Ctrl K"}</kbd>
          </button>
          <ThemeMenu />
          <UserMenu />
        </header>
        <main className="page" id={contentId} tabIndex={-1}>
          <OpenInvitations />
          {isReadable ? <Outlet /> : <LimitedToProjects />}
        </main>
      </div>
      <Dialog.Root open={isSheetOpen} onOpenChange={setSheetOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="backdrop" />
          <Dialog.Popup className="sidebar-sheet" aria-label="Menu">
            <Sidebar onNavigate={() => setSheetOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      {palette.text !== undefined && (
        <Suspense fallback={null}>
          <Palette text={palette.text} onText={palette.setText} onClose={palette.close} />
        </Suspense>
      )}
      <Toasts />
    </div>
  );
}

/** Whether the role may read the page: one that is limited to projects has few of them. */
function useIsReadable(): boolean {
  const { isLimited } = useSession();
  const path = useMatches().at(-1)?.fullPath ?? "/";
  const isAt = (to: string) => path === to || path.startsWith(`${to}/`);
  return !isLimited || places.some(({ to, isForProjects }) => isForProjects && isAt(to));
}

function LimitedToProjects() {
  return (
    <EmptyState
      icon={<Lock size={20} aria-hidden />}
      title="Your role is limited to projects"
      action={
        <Link className="button" to="/deployments">
          Show deployments
        </Link>
      }
    >
      You see the deployments, requests, logs and variables of your projects. Consumers, keys, plans and billing belong
      to the whole account: ask an admin for a role in it.
    </EmptyState>
  );
}

/** The palette is open while it has a text, including letters typed before its field has the focus. */
function usePalette() {
  const [text, setText] = useState<string>();
  const isOpen = text !== undefined;
  useEffect(() => {
    // Loads the code before the first Ctrl-K; if this fails, opening the palette tries again.
    return loadLater(loadPalette);
  }, []);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isChord = event.metaKey || event.ctrlKey || event.altKey;
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setText((current) => (current === undefined ? "" : undefined));
      } else if (isOpen && !isChord && event.key.length === 1 && !isTyping(document.activeElement)) {
        event.preventDefault();
        setText((current) => (current !== undefined ? current + event.key : current));
      }
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [isOpen]);
  return { text, setText, open: () => setText(""), close: () => setText(undefined) };
}

const isTyping = (element: Element | null): boolean => element?.getAttribute("role") === "combobox";

export interface Crumb {
  label: string;
  to?: string;
}

/** The path to the page; each route sets its `crumbs`. */
function Breadcrumb() {
  const match = useMatches().at(-1);
  const crumbs = match?.staticData.crumbs?.(match.params as Record<string, string>) ?? [];
  const title = crumbs.map(({ label }) => label).reverse();
  useEffect(() => {
    document.title = [...title, "Tollgate"].join(" · ");
  });
  return (
    <nav className="grow" aria-label="Breadcrumb">
      <ol className="breadcrumb">
        {crumbs.map(({ label, to }, index) => (
          <li key={label}>
            {index > 0 && <span aria-hidden>›</span>}
            {to ? (
              <Link to={to} className="truncate">
                {label}
              </Link>
            ) : (
              <span className="truncate" aria-current="page">
                {label}
              </span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
