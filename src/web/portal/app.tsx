import { Compass } from "lucide-react";
import { type ComponentType, lazy, Suspense, useEffect } from "react";
import type { PortalSession, PortalSite } from "../../client/transport/portal-schema.gen.ts";
import { EmptyState, NotLoaded, SkeletonLines } from "../components/notice.tsx";
import { Toasts } from "../components/toast.tsx";
import { Link, usePath } from "../lib/router.tsx";
import { Access } from "./pages/enter/enter.tsx";
import { consentPage } from "./pages/enter/outcome.tsx";
import { ProviderCallback, providerCallback } from "./pages/enter/provider.tsx";
import { Landing } from "./pages/landing.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { Start } from "./pages/start.tsx";
import { useFirstKey } from "./queries/kept-keys.ts";
import { useSession, useSite } from "./queries/session.ts";
import { Frame } from "./shell/frame.tsx";
import { docsPlace, placesOf } from "./shell/places.ts";

// Loaded when they are opened: dialogs, menus and charts are most of the script.
const pages: Record<string, ComponentType<{ session: PortalSession }>> = {
  "/keys": lazy(() => import("./pages/keys.tsx")),
  "/programs": lazy(() => import("./pages/programs.tsx")),
  "/agents": lazy(() => import("./pages/agents.tsx")),
  "/usage": lazy(() => import("./pages/usage.tsx")),
  "/requests": lazy(() => import("./pages/requests.tsx")),
  "/people": lazy(() => import("./pages/people.tsx")),
  "/plans": lazy(() => import("./pages/plans.tsx")),
  "/invoices": lazy(() => import("./pages/invoices.tsx")),
  "/credit": lazy(() => import("./pages/credit/credit.tsx")),
};
const Authorize = lazy(() => import("./pages/authorize.tsx"));
const Docs = lazy(() => import("./pages/docs.tsx"));
const FirstKeyDialog = lazy(() => import("./pages/key-dialogs.tsx"));
const SignInLink = lazy(() => import("./pages/enter/link.tsx"));

export function App() {
  const site = useSite();
  const session = useSession();
  const path = usePath();
  const firstKey = useFirstKey();
  const places = placesOf(session.data?.pages ?? site.data?.pages ?? []);
  const label = path === "/sign-in" ? "Sign in" : places.find(({ href }) => href === path)?.label;
  const title = site.data?.title;
  const isDocs = path === docsPlace.href || path.startsWith(`${docsPlace.href}/`);
  useEffect(() => {
    // Pages of the documentation have titles of their own.
    if (title !== undefined && !isDocs)
      document.title = label === undefined || path === "/" ? title : `${label} · ${title}`;
  }, [title, label, path, isDocs]);
  return (
    <>
      <Frame site={site.data} session={session.data ?? undefined} isSignedOut={session.data === null}>
        <Suspense fallback={<SkeletonLines />}>
          {site.error || session.error || !site.data ? (
            <NotLoaded of={{ error: site.error ?? session.error }} />
          ) : path === "/sign-in" ? (
            <SignIn site={site.data} />
          ) : path === "/sign-in/link" ? (
            <SignInLink site={site.data} />
          ) : path === providerCallback ? (
            <ProviderCallback site={site.data} />
          ) : session.data === undefined ? (
            <SkeletonLines />
          ) : isDocs && (session.data || site.data.isReferencePublic) ? (
            <Docs site={site.data} session={session.data} />
          ) : session.data ? (
            <Page path={path} site={site.data} session={session.data} />
          ) : path === "/" ? (
            <Landing site={site.data} />
          ) : (
            // Pages for customers lead through the sign-in.
            <Access site={site.data} level="h1" />
          )}
        </Suspense>
      </Frame>
      {firstKey !== undefined && path !== consentPage && (
        <Suspense>
          <FirstKeyDialog value={firstKey} />
        </Suspense>
      )}
      <Toasts />
    </>
  );
}

function Page({ path, site, session }: { path: string; site: PortalSite; session: PortalSession }) {
  const Opened = placesOf(session.pages).some(({ href }) => href === path) ? pages[path] : undefined;
  if (Opened) return <Opened session={session} />;
  if (path === consentPage) return <Authorize site={site} session={session} />;
  if (path === "/") return <Start site={site} session={session} />;
  return (
    <EmptyState icon={Compass} title="There is no such page" action={<Link href="/">Start page</Link>}>
      The address may be mistyped, or the page is not open to you.
    </EmptyState>
  );
}
