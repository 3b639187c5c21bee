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
import { lazy } from "react";
import { EmptyState, LoadError } from "../components/notice.tsx";
import { SkeletonLines } from "../components/skeleton.tsx";
import { isUnreachable, statusOf } from "../lib/errors.ts";
import { RenewableSession } from "./pages/sign-in/again.tsx";
import { customerSearchNames, keySearchNames, requestSearchNames } from "./queries/search-names.ts";
import { queryClient, signedIn, signInHint, whoAmI } from "./queries/session.tsx";
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

/**
 * Validates the search parameters of a route: those with these names become text, and other ones are dropped. Every route
 * also has `page`, if it is above 1, and `new`, which opens the dialog that creates a resource.
 */
function searchParameters<const Names extends string[]>(...names: Names) {
  return (search: Search): { [Name in Names[number]]?: string } & { page?: number; new?: boolean } => {
    const known: Record<string, unknown> = {};
    for (const name of names) {
      const value = search[name];
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
        known[name] = String(value);
    }
    const page = Math.floor(Number(search.page));
    if (page > 1) known.page = page;
    if (search.new === true || search.new === "true") known.new = true;
    return known as { [Name in Names[number]]?: string };
  };
}

/**
 * A page whose code is loaded when it is first shown. If that fails, the router reloads the document, because an upgrade
 * of the server has renamed the files. But if the server is unreachable, a reload would replace the console by the
 * browser's error page. So then this throws the error of a request instead, for which the router does not reload.
 */
const lazyPage = ((load: () => Promise<Record<string, unknown>>, name: string) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error) => {
        await signedIn.whoAmI().catch((reason) => {
          if (isUnreachable(reason)) throw reason;
        });
        throw error;
      }),
    name,
  )) as typeof lazyRouteComponent;

/** The breadcrumbs of a page without a parent. */
const singleCrumb = (label: string) => () => [{ label }];

/** Returns the signed-in identity, or redirects to the sign-in page. */
async function requireSession({ location }: { location: { href: string } }) {
  const toSignIn = () =>
    redirect({ to: "/sign-in", search: location.href === "/" ? {} : { to: location.href }, replace: true });
  if (!signInHint.isSet()) throw toSignIn();
  try {
    return await queryClient.ensureQueryData(whoAmI);
  } catch (error) {
    if (statusOf(error) !== 401) throw error;
    signInHint.clear();
    throw toSignIn();
  }
}

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => (
    <main className="page">
      <LoadError error={error} onRetry={() => window.location.reload()} />
    </main>
  ),
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: searchParameters("to", "error", "signedIn"),
  component: lazyPage(() => import("./pages/sign-in.tsx"), "SignIn"),
});
const join = createRoute({
  getParentRoute: () => root,
  path: "/join",
  component: lazyPage(() => import("./pages/sign-in/join.tsx"), "Join"),
});
const signInLink = createRoute({
  getParentRoute: () => root,
  path: "/link",
  component: lazyPage(() => import("./pages/sign-in/link.tsx"), "SignInLink"),
});
const invitations = createRoute({
  getParentRoute: () => root,
  path: "/invitations",
  component: lazyPage(() => import("./pages/invitations.tsx"), "Invitations"),
  beforeLoad: requireSession,
});
const FoundCustomerState = lazy(() => import("./pages/customer/state.tsx"));
const frame = createRoute({
  getParentRoute: () => root,
  id: "frame",
  component: () => (
    <RenewableSession>
      <Frame CustomerState={FoundCustomerState} />
    </RenewableSession>
  ),
  pendingComponent: FramePlaceholder,
  beforeLoad: async (context) => {
    const { accounts } = await requireSession(context);
    if (accounts?.length === 0) throw redirect({ to: "/invitations", replace: true });
  },
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  beforeLoad: async () => {
    const { projects } = await queryClient.ensureQueryData(whoAmI);
    const isLimitedToProjects = projects !== undefined;
    // Home shows the whole account, which this role cannot read.
    if (isLimitedToProjects) throw redirect({ to: "/deployments", replace: true });
  },
  validateSearch: searchParameters("range", "deployment"),
  staticData: { crumbs: singleCrumb("Home") },
  component: lazyPage(() => import("./pages/home.tsx"), "Home"),
});
const consumers = createRoute({
  getParentRoute: () => frame,
  path: "/consumers",
  validateSearch: searchParameters("bucket", "q", "tag", "manager", "sort"),
  staticData: { crumbs: singleCrumb("Consumers") },
  component: lazyPage(() => import("./pages/pages.ts"), "ConsumersPage"),
});
const consumer = createRoute({
  getParentRoute: () => frame,
  path: "/consumers/$bucket/$name",
  validateSearch: searchParameters(...customerSearchNames),
  staticData: { crumbs: ({ name = "" }) => [{ label: "Consumers", to: "/consumers" }, { label: name }] },
  component: lazyPage(() => import("./pages/pages.ts"), "ConsumerPage"),
});
const customer = createRoute({
  getParentRoute: () => frame,
  path: "/customers/$bucket/$key",
  validateSearch: searchParameters(...customerSearchNames),
  staticData: { crumbs: ({ key = "" }) => [{ label: "Billing", to: "/billing" }, { label: key }] },
  component: lazyPage(() => import("./pages/pages.ts"), "CustomerPage"),
});
const keys = createRoute({
  getParentRoute: () => frame,
  path: "/keys",
  validateSearch: searchParameters(...keySearchNames),
  staticData: { crumbs: singleCrumb("Keys") },
  component: lazyPage(() => import("./pages/pages.ts"), "KeysPage"),
});
const plans = createRoute({
  getParentRoute: () => frame,
  path: "/plans",
  validateSearch: searchParameters("bucket", "plan"),
  staticData: { crumbs: singleCrumb("Plans") },
  component: lazyPage(() => import("./pages/pages.ts"), "PlansPage"),
});
const subscriptions = createRoute({
  getParentRoute: () => frame,
  path: "/subscriptions",
  validateSearch: searchParameters("bucket", "status", "customer", "plan", "subscription", "sort"),
  staticData: { crumbs: singleCrumb("Subscriptions") },
  component: lazyPage(() => import("./pages/pages.ts"), "SubscriptionsPage"),
});
const billing = createRoute({
  getParentRoute: () => frame,
  path: "/billing",
  validateSearch: searchParameters("bucket", "tab", "customer", "status", "invoice", "sort"),
  staticData: { crumbs: singleCrumb("Billing") },
  component: lazyPage(() => import("./pages/pages.ts"), "BillingPage"),
});
/** A former address. */
const formerCustomer = createRoute({
  getParentRoute: () => frame,
  path: "/billing/customers/$bucket/$key",
  validateSearch: searchParameters("invoice"),
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: "/customers/$bucket/$key", params, search, replace: true });
  },
});
const deployments = createRoute({
  getParentRoute: () => frame,
  path: "/deployments",
  validateSearch: searchParameters("project", "branch", "proxy"),
  staticData: { crumbs: singleCrumb("Deployments") },
  component: lazyPage(() => import("./pages/pages.ts"), "DeploymentsPage"),
});
const deployment = createRoute({
  getParentRoute: () => frame,
  path: "/deployments/$name",
  validateSearch: searchParameters("tab", "kind", "policy", ...requestSearchNames),
  staticData: { crumbs: ({ name = "" }) => [{ label: "Deployments", to: "/deployments" }, { label: name }] },
  component: lazyPage(() => import("./pages/deployment.tsx"), "DeploymentPage"),
});
const domains = createRoute({
  getParentRoute: () => frame,
  path: "/domains",
  validateSearch: searchParameters("domain"),
  staticData: { crumbs: singleCrumb("Domains") },
  component: lazyPage(() => import("./pages/pages.ts"), "DomainsPage"),
});
const requests = createRoute({
  getParentRoute: () => frame,
  path: "/requests",
  validateSearch: searchParameters(...requestSearchNames),
  staticData: { crumbs: singleCrumb("Requests") },
  component: lazyPage(() => import("./pages/pages.ts"), "RequestsPage"),
});
const models = createRoute({
  getParentRoute: () => frame,
  path: "/models",
  validateSearch: searchParameters("range"),
  staticData: { crumbs: singleCrumb("Models") },
  component: lazyPage(() => import("./pages/pages.ts"), "ModelsPage"),
});
const webhooks = createRoute({
  getParentRoute: () => frame,
  path: "/webhooks",
  validateSearch: searchParameters(),
  staticData: { crumbs: singleCrumb("Webhooks") },
  component: lazyPage(() => import("./pages/pages.ts"), "WebhooksPage"),
});
const webhook = createRoute({
  getParentRoute: () => frame,
  path: "/webhooks/$id",
  validateSearch: searchParameters("status", "type", "delivery"),
  staticData: { crumbs: ({ id = "" }) => [{ label: "Webhooks", to: "/webhooks" }, { label: id }] },
  component: lazyPage(() => import("./pages/pages.ts"), "WebhookPage"),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: "/audit-log",
  validateSearch: searchParameters("action", "actor", "actorType", "resource", "range", "from", "to", "entry"),
  staticData: { crumbs: singleCrumb("Audit log") },
  component: lazyPage(() => import("./pages/pages.ts"), "AuditLogPage"),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  validateSearch: searchParameters("tab"),
  staticData: { crumbs: singleCrumb("Settings") },
  component: lazyPage(() => import("./pages/settings.tsx"), "SettingsPage"),
});

const search = createRoute({
  getParentRoute: () => frame,
  path: "/search",
  validateSearch: searchParameters("q"),
  staticData: { crumbs: singleCrumb("Search") },
  component: lazyPage(() => import("./pages/pages.ts"), "SearchPage"),
});

const configurationPlan = createRoute({
  getParentRoute: () => frame,
  path: "/configuration/$planId",
  staticData: { crumbs: singleCrumb("Configuration plan") },
  component: lazyPage(() => import("./pages/pages.ts"), "ConfigurationPlanPage"),
});

const missing = createRoute({
  getParentRoute: () => frame,
  path: "$",
  staticData: { crumbs: singleCrumb("Not found") },
  component: NotFound,
});

const routeTree = root.addChildren([
  signIn,
  join,
  signInLink,
  invitations,
  frame.addChildren([
    home,
    consumers,
    consumer,
    keys,
    plans,
    subscriptions,
    customer,
    billing,
    formerCustomer,
    deployments,
    deployment,
    domains,
    requests,
    models,
    webhooks,
    webhook,
    audit,
    settings,
    search,
    configurationPlan,
    missing,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: "/console",
  // Plain text: by default the router would quote values that look like numbers.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === "" ? "" : `?${text}`;
  },
  defaultPreload: "intent",
  defaultPendingComponent: () => <SkeletonLines />,
  defaultPendingMs: 300,
  defaultErrorComponent: ({ error }) => <LoadError error={error} onRetry={() => router.invalidate()} />,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

/** Shown while the session is checked. */
function FramePlaceholder() {
  return (
    <div className="frame">
      <aside className="sidebar" />
      <div className="main">
        <header className="header" />
        <main className="page">
          <SkeletonLines />
        </main>
      </div>
    </div>
  );
}

function NotFound() {
  return (
    <EmptyState
      icon={<CircleHelp size={20} aria-hidden />}
      title="There is no such page"
      action={
        <Link className="button" to="/">
          Go to Home
        </Link>
      }
    >
      The address may be mistyped, or the thing it named is gone.
    </EmptyState>
  );
}
