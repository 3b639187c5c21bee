import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatches } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Toasts } from "../../components/toast.tsx";
import { SessionProvider, whoAmI } from "../queries/session.tsx";
import { Sidebar } from "./sidebar.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";
import { UserMenu } from "./user-menu.tsx";

const Palette = lazy(() => import("./palette.tsx"));

/** Sidebar, header and page. The route has seen to it that somebody is signed in. */
export function Frame() {
  const identity = useQuery(whoAmI);
  if (!identity.data) return null;
  return (
    <SessionProvider identity={identity.data}>
      <Shell />
    </SessionProvider>
  );
}

function Shell() {
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setPaletteOpen((open) => !open);
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  return (
    <div className="frame">
      <Sidebar />
      <div className="main">
        <header className="header">
          <span className="menu-button">
            <Button kind="quiet" isIcon aria-label="Open the menu" onClick={() => setSheetOpen(true)}>
              <MenuIcon size={18} aria-hidden />
            </Button>
          </span>
          <Breadcrumb />
          <button type="button" className="search-trigger" onClick={() => setPaletteOpen(true)}>
            <Search size={14} aria-hidden />
            <span>Search…</span>
            <kbd aria-hidden>{isApple ? "⌘K" : "Ctrl K"}</kbd>
          </button>
          <ThemeToggle />
          <UserMenu />
        </header>
        <main className="page">
          <Outlet />
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
      {isPaletteOpen && (
        <Suspense fallback={null}>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
      <Toasts />
    </div>
  );
}

export interface Crumb {
  label: string;
  to?: string;
}

/** Where the page is; each route sets its `crumbs`. */
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
