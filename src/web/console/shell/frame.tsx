import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useMatches, useNavigate } from "@tanstack/react-router";
import { Check, CircleUser, Lock, LogOut, Menu as MenuIcon, Search, Settings } from "lucide-react";
import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { EmptyState, Notice } from "../../components/notice.tsx";
import { Toasts, toast } from "../../components/toast.tsx";
import { messageOf } from "../../lib/errors.ts";
import { loadLater } from "../../lib/load-later.ts";
import { chooseTheme, themes, useTheme } from "../../lib/themes.ts";
import {
  ownInvitations,
  queryClient,
  SessionProvider,
  signedIn,
  signInHint,
  useSession,
  whoAmI,
} from "../queries/session.tsx";
import { places } from "./places.ts";
import { Sidebar } from "./sidebar.tsx";

const contentId = "content";

/** The first Tab stops of a page, visible only while focused. */
function SkipLinks() {
  const content = () => document.getElementById(contentId);
  const row = () => content()?.querySelector<HTMLElement>("tbody .row-link") ?? content();
  const skip = (label: string, target: () => HTMLElement | null | undefined) => (
    <a
      className="skip-link"
      href={`#${contentId}`}
      onClick={(event) => {
        // Bypasses the router, which would add the fragment to the URL.
        event.preventDefault();
        target()?.focus();
      }}
    >
      {label}
    </a>
  );
  return (
    <>
      {skip("Skip to content", content)}
      {skip("Skip to the first row", row)}
    </>
  );
}

type FoundState = ComponentType<{ path: string }>;

const loadPalette = () => import("./palette.tsx");
const Palette = lazy(loadPalette);

/** Sidebar, header and page. The route guarantees a session. */
/** `CustomerState`: of a customer that the palette has found; pages import the shell, not the reverse. */
export function Frame({ CustomerState }: { CustomerState: FoundState }) {
  // The route has just read it.
  const identity = useQuery({ ...whoAmI, refetchOnMount: false });
  if (!identity.data) return null;
  return (
    <SessionProvider identity={identity.data}>
      <Shell CustomerState={CustomerState} />
    </SessionProvider>
  );
}

function Shell({ CustomerState }: { CustomerState: FoundState }) {
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
            <Button icon={MenuIcon} kind="quiet" isIcon aria-label="Open the menu" onClick={() => setSheetOpen(true)} />
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
          <Palette {...{ CustomerState }} text={palette.text} onText={palette.setText} onClose={palette.close} />
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
      icon={Lock}
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

/** Tells a person about invitations that they have neither accepted nor declined. */
function OpenInvitations() {
  const { identity } = useSession();
  const { data } = useQuery({ ...ownInvitations, enabled: identity.email !== undefined });
  const open = data?.data ?? [];
  if (open.length === 0) return null;
  return (
    <Notice>
      You are invited to {open.map(({ account }) => account).join(", ")}.{" "}
      <Link to="/invitations">Review {open.length === 1 ? "the invitation" : "the invitations"}</Link>
    </Notice>
  );
}

function ThemeMenu() {
  const current = useTheme();
  return (
    <Menu
      trigger={<Button icon={current.icon} kind="quiet" isIcon aria-label={`Theme: ${current.label}`} />}
      note="Theme"
      actions={themes.map(({ name, label, icon }) => ({
        label,
        icon: name === current.name ? Check : icon,
        onSelect: () => chooseTheme(name),
      }))}
    />
  );
}

export function UserMenu() {
  const { identity } = useSession();
  const navigate = useNavigate();
  const name = identity.name ?? identity.email ?? identity.role;
  const signOut = async () => {
    let isByProvider = false;
    try {
      // Programs with a token have no provider to sign out from.
      const own = identity.email === undefined ? [] : await signedIn.sessions.list().all();
      isByProvider = own.some(({ isCurrent, method }) => isCurrent && method === "oidc");
      // Requests that arrive after the session's end would be rejected.
      await queryClient.cancelQueries();
      await signedIn.sessions.delete("current");
    } catch (error) {
      toast(messageOf(error), "red");
      return;
    }
    signInHint.clear();
    queryClient.clear();
    if (isByProvider) {
      window.location.assign("/sign-in/provider/sign-out");
      return;
    }
    await navigate({ to: "/sign-in" });
  };
  return (
    <Menu
      trigger={
        <button type="button" className="button" data-kind="quiet" aria-label={`Signed in as ${name}`}>
          <CircleUser size={16} aria-hidden />
          <span className="user-name">{name}</span>
        </button>
      }
      note={
        <>
          {identity.email === undefined ? "Signed in by token" : `Signed in as ${identity.role}`}
          <div className="mono wrap-anywhere">{identity.email ?? identity.sub}</div>
        </>
      }
      actions={[
        {
          label: "Sessions",
          icon: Settings,
          onSelect: () => navigate({ to: "/settings", search: { tab: "sessions" } }),
        },
        { label: "Sign out", icon: LogOut, onSelect: signOut },
      ]}
    />
  );
}
