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
import { EmptyState, LoadError, SkeletonLines } from "../components/notice.tsx";
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
 * Validates the search parameters of a route: those with these names become text, and other ones and empty ones are dropped.
 * Every route also has `page`, if it is above 1, and `new`, which opens the dialog that creates a resource.
 */
function searchParameters<const Names extends string[]>(...names: Names) {
  return (search: Search): { [Name in Names[number]]?: string } & { page?: number; new?: boolean } => {
    const known: Record<string, unknown> = {};
    for (const name of names) {
      const value = search[name];
      if (value === "") continue;
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
  component: lazyPage(() => import("./pages/sign-in/links.tsx"), "Join"),
});
const signInLink = createRoute({
  getParentRoute: () => root,
  path: "/link",
  component: lazyPage(() => import("./pages/sign-in/links.tsx"), "SignInLink"),
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
/** A page in the frame, of the code that most pages share. `crumbs`: its label, or the breadcrumbs of a page with a parent. */
const page = <const Path extends string, const Names extends string[] = []>(
  path: Path,
  component: keyof typeof import("./pages/pages.ts"),
  crumbs: string | ((params: Record<string, string>) => Crumb[]),
  searchNames = [] as unknown as Names,
) =>
  createRoute({
    getParentRoute: () => frame,
    path,
    validateSearch: searchParameters(...searchNames),
    staticData: { crumbs: typeof crumbs === "string" ? singleCrumb(crumbs) : crumbs },
    component: lazyPage(() => import("./pages/pages.ts"), component),
  });

const consumers = page("/consumers", "ConsumersPage", "Consumers", ["bucket", "q", "tag", "manager", "sort"]);
const consumer = page(
  "/consumers/$bucket/$name",
  "ConsumerPage",
  ({ name = "" }) => [{ label: "Consumers", to: "/consumers" }, { label: name }],
  [...customerSearchNames],
);
const customer = page(
  "/customers/$bucket/$key",
  "CustomerPage",
  ({ key = "" }) => [{ label: "Billing", to: "/billing" }, { label: key }],
  [...customerSearchNames],
);
const keys = page("/keys", "KeysPage", "Keys", [...keySearchNames]);
const plans = page("/plans", "PlansPage", "Plans", ["bucket", "plan"]);
const simulations = page(
  "/plans/simulations",
  "SimulationsPage",
  () => [{ label: "Plans", to: "/plans" }, { label: "Simulations" }],
  ["bucket"],
);
const simulation = page(
  "/plans/simulations/$ids",
  "SimulationPage",
  () => [{ label: "Simulations", to: "/plans/simulations" }, { label: "Result" }],
  ["bucket"],
);
const subscriptions = page("/subscriptions", "SubscriptionsPage", "Subscriptions", [
  "bucket",
  "status",
  "customer",
  "plan",
  "subscription",
  "sort",
]);
const billing = page("/billing", "BillingPage", "Billing", ["bucket", "tab", "customer", "status", "invoice", "sort"]);
/** A former address. */
const formerCustomer = createRoute({
  getParentRoute: () => frame,
  path: "/billing/customers/$bucket/$key",
  validateSearch: searchParameters("invoice"),
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: "/customers/$bucket/$key", params, search, replace: true });
  },
});
const deployments = page("/deployments", "DeploymentsPage", "Deployments", ["project", "branch", "proxy"]);
const deployment = createRoute({
  getParentRoute: () => frame,
  path: "/deployments/$name",
  validateSearch: searchParameters("tab", "kind", "policy", ...requestSearchNames),
  staticData: { crumbs: ({ name = "" }) => [{ label: "Deployments", to: "/deployments" }, { label: name }] },
  component: lazyPage(() => import("./pages/deployment.tsx"), "DeploymentPage"),
});
const domains = page("/domains", "DomainsPage", "Domains", ["domain"]);
const requests = page("/requests", "RequestsPage", "Requests", [...requestSearchNames]);
const models = page("/models", "ModelsPage", "Models", ["range"]);
const webhooks = page("/webhooks", "WebhooksPage", "Webhooks");
const webhook = page(
  "/webhooks/$id",
  "WebhookPage",
  ({ id = "" }) => [{ label: "Webhooks", to: "/webhooks" }, { label: id }],
  ["status", "type", "delivery"],
);
const audit = page("/audit-log", "AuditLogPage", "Audit log", [
  "action",
  "actor",
  "actorType",
  "resource",
  "range",
  "from",
  "to",
  "entry",
]);
const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  validateSearch: searchParameters("tab"),
  staticData: { crumbs: singleCrumb("Settings") },
  component: lazyPage(() => import("./pages/settings.tsx"), "SettingsPage"),
});

const search = page("/search", "SearchPage", "Search", ["q"]);

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
    simulations,
    simulation,
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
      icon={CircleHelp}
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
