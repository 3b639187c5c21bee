import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { EmptyState, LoadError } from "../components/notice.tsx";
import { SkeletonLines } from "../components/skeleton.tsx";
import { statusOf } from "../lib/errors.ts";
import { queryClient, signInHint, whoAmI } from "./queries/session.tsx";
import { type Crumb, Frame } from "./shell/frame.tsx";

declare module "@tanstack/react-router" {
  interface StaticDataRouteOption {
    crumbs?: (params: Record<string, string>) => Crumb[];
  }
  interface Register {
    router: typeof router;
  }
}

type Search = Record<string, unknown>;

/** What the address may say, as text: everything else in it is left out. */
function texts<const Names extends string[]>(...names: Names) {
  return (search: Search): { [Name in Names[number]]?: string } & { page?: number; new?: boolean } => {
    const known: Record<string, unknown> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
        known[name] = String(value);
    }
    if (typeof search.page === "number" && search.page > 1) known.page = Math.floor(search.page);
    if (search.new === true) known.new = true;
    return known as { [Name in Names[number]]?: string };
  };
}

const one = (label: string) => () => [{ label }];

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => <LoadError error={error} />,
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: texts("to"),
  component: lazyRouteComponent(() => import("./pages/sign-in.tsx"), "SignIn"),
});
const frame = createRoute({
  getParentRoute: () => root,
  id: "frame",
  component: Frame,
  beforeLoad: async ({ location }) => {
    const signIn = () =>
      redirect({ to: "/sign-in", search: location.href === "/" ? {} : { to: location.href }, replace: true });
    if (!signInHint.isSet()) throw signIn();
    try {
      await queryClient.ensureQueryData(whoAmI);
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
      signInHint.clear();
      throw signIn();
    }
  },
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  validateSearch: texts("range"),
  staticData: { crumbs: one("Home") },
  component: lazyRouteComponent(() => import("./pages/home.tsx"), "Home"),
});
const consumers = createRoute({
  getParentRoute: () => frame,
  path: "/consumers",
  validateSearch: texts("bucket", "q", "tag", "manager"),
  staticData: { crumbs: one("Consumers") },
  component: lazyRouteComponent(() => import("./pages/consumers.tsx"), "ConsumersPage"),
});
const consumer = createRoute({
  getParentRoute: () => frame,
  path: "/consumers/$bucket/$name",
  validateSearch: texts("tab"),
  staticData: { crumbs: ({ name = "" }) => [{ label: "Consumers", to: "/consumers" }, { label: name }] },
  component: lazyRouteComponent(() => import("./pages/consumer.tsx"), "ConsumerPage"),
});
const keys = createRoute({
  getParentRoute: () => frame,
  path: "/keys",
  validateSearch: texts("bucket", "state", "suffix", "key"),
  staticData: { crumbs: one("Keys") },
  component: lazyRouteComponent(() => import("./pages/keys.tsx"), "KeysPage"),
});
const plans = createRoute({
  getParentRoute: () => frame,
  path: "/plans",
  validateSearch: texts("bucket", "plan"),
  staticData: { crumbs: one("Plans") },
  component: lazyRouteComponent(() => import("./pages/plans.tsx"), "PlansPage"),
});
const subscriptions = createRoute({
  getParentRoute: () => frame,
  path: "/subscriptions",
  validateSearch: texts("bucket", "status", "customer", "plan", "subscription"),
  staticData: { crumbs: one("Subscriptions") },
  component: lazyRouteComponent(() => import("./pages/subscriptions.tsx"), "SubscriptionsPage"),
});
const deployments = createRoute({
  getParentRoute: () => frame,
  path: "/deployments",
  validateSearch: texts("project"),
  staticData: { crumbs: one("Deployments") },
  component: lazyRouteComponent(() => import("./pages/deployments.tsx"), "DeploymentsPage"),
});
const deployment = createRoute({
  getParentRoute: () => frame,
  path: "/deployments/$name",
  validateSearch: texts("tab", "kind", "range", "route", "from", "to"),
  staticData: { crumbs: ({ name = "" }) => [{ label: "Deployments", to: "/deployments" }, { label: name }] },
  component: lazyRouteComponent(() => import("./pages/deployment.tsx"), "DeploymentPage"),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: "/audit-log",
  validateSearch: texts("action", "actor", "resource", "entry"),
  staticData: { crumbs: one("Audit log") },
  component: lazyRouteComponent(() => import("./pages/audit-log.tsx"), "AuditLogPage"),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  validateSearch: texts("tab"),
  staticData: { crumbs: one("Settings") },
  component: lazyRouteComponent(() => import("./pages/settings.tsx"), "SettingsPage"),
});

const routeTree = root.addChildren([
  signIn,
  frame.addChildren([home, consumers, consumer, keys, plans, subscriptions, deployments, deployment, audit, settings]),
]);

export const router = createRouter({
  routeTree,
  basepath: "/console",
  defaultPreload: "intent",
  defaultPendingComponent: () => <SkeletonLines />,
  defaultPendingMs: 300,
  defaultErrorComponent: ({ error }) => <LoadError error={error} />,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

function NotFound() {
  return (
    <main className="page">
      <EmptyState
        icon={<CircleHelp size={20} aria-hidden />}
        title="There is no such page"
        action={<Link to="/">Go to Home</Link>}
      >
        The address may be mistyped, or the thing it named is gone.
      </EmptyState>
    </main>
  );
}
