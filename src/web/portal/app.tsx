import { Compass } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import type { PortalSession, PortalSite } from "../../client/transport/portal-schema.gen.ts";
import { EmptyState, LoadError, SkeletonLines } from "../components/notice.tsx";
import { Toasts } from "../components/toast.tsx";
import { Link, usePath } from "../lib/router.tsx";
import { Access } from "./pages/enter/enter.tsx";
import { useFirstKey } from "./pages/enter/first-key.ts";
import { consentPage } from "./pages/enter/outcome.tsx";
import { ProviderCallback, providerCallback } from "./pages/enter/provider.tsx";
import { Landing } from "./pages/landing.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { Start } from "./pages/start.tsx";
import { useSession, useSite } from "./queries/session.ts";
import { Frame } from "./shell/frame.tsx";
import { docsPlace, placesOf } from "./shell/places.ts";

// Loaded when they are opened: dialogs, menus and charts are most of the script.
const Keys = lazy(() => import("./pages/keys.tsx"));
const Programs = lazy(() => import("./pages/programs.tsx"));
const Agents = lazy(() => import("./pages/agents.tsx"));
const Authorize = lazy(() => import("./pages/authorize.tsx"));
const UsagePage = lazy(() => import("./pages/usage.tsx"));
const Docs = lazy(() => import("./pages/docs.tsx"));
const Requests = lazy(() => import("./pages/requests.tsx"));
const People = lazy(() => import("./pages/people.tsx"));
const Plans = lazy(() => import("./pages/plans.tsx"));
const Invoices = lazy(() => import("./pages/invoices.tsx"));
const FirstKeyDialog = lazy(() => import("./pages/first-key-dialog.tsx"));
const Credit = lazy(() => import("./pages/credit/credit.tsx"));
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
        {site.error || session.error ? (
          <LoadError
            error={site.error ?? session.error}
            onRetry={() => Promise.all([site.refetch(), session.refetch()])}
          />
        ) : !site.data ? (
          <SkeletonLines />
        ) : path === "/sign-in" ? (
          <SignIn site={site.data} />
        ) : path === "/sign-in/link" ? (
          <Suspense fallback={<SkeletonLines />}>
            <SignInLink site={site.data} />
          </Suspense>
        ) : path === providerCallback ? (
          <ProviderCallback site={site.data} />
        ) : session.data === undefined ? (
          <SkeletonLines />
        ) : isDocs && (session.data || site.data.isReferencePublic) ? (
          <Suspense fallback={<SkeletonLines />}>
            <Docs site={site.data} session={session.data} />
          </Suspense>
        ) : session.data === null ? (
          <SignedOut path={path} site={site.data} />
        ) : (
          <Suspense fallback={<SkeletonLines />}>
            <Page path={path} site={site.data} session={session.data} />
          </Suspense>
        )}
      </Frame>
      {firstKey !== undefined && path !== consentPage && (
        <Suspense>
          <FirstKeyDialog />
        </Suspense>
      )}
      <Toasts />
    </>
  );
}

/** Pages for customers lead through the sign-in. */
function SignedOut({ path, site }: { path: string; site: PortalSite }) {
  return path === "/" ? <Landing site={site} /> : <Access site={site} level="h1" />;
}

function Page({ path, site, session }: { path: string; site: PortalSite; session: PortalSession }) {
  const isOpen = placesOf(session.pages).some(({ href }) => href === path);
  if (isOpen && path === "/keys") return <Keys session={session} />;
  if (isOpen && path === "/programs") return <Programs session={session} />;
  if (isOpen && path === "/agents") return <Agents session={session} />;
  if (path === consentPage) return <Authorize site={site} session={session} />;
  if (isOpen && path === "/usage") return <UsagePage session={session} />;
  if (isOpen && path === "/requests") return <Requests />;
  if (isOpen && path === "/people") return <People session={session} />;
  if (isOpen && path === "/plans") return <Plans session={session} />;
  if (isOpen && path === "/invoices") return <Invoices session={session} />;
  if (isOpen && path === "/credit") return <Credit session={session} />;
  if (path === "/") return <Start site={site} session={session} />;
  return (
    <EmptyState icon={Compass} title="There is no such page" action={<Link href="/">Start page</Link>}>
      The address may be mistyped, or the page is not open to you.
    </EmptyState>
  );
}
