import { Eye, LogOut, Menu as MenuIcon } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import type { PortalSession, PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { canEnter } from "../../../lib/text/portal-landing.ts";
import { Button } from "../../components/button.tsx";
import { ThemeButton } from "../../components/theme-button.tsx";
import { goTo, Link, usePath } from "../../lib/router.tsx";
import { call, useAction, useRead } from "../queries/api.ts";
import { signedIn, signOut } from "../queries/session.ts";
import { docsPlace, groupsOf, placesOf, startPlace } from "./places.ts";

/** The address of the image beside the name, if it is not the saved one. */
export const Mark = createContext<string | undefined>(undefined);

interface FrameProps {
  site: PortalSite | undefined;
  session: PortalSession | undefined;
  isSignedOut: boolean;
  children: ReactNode;
}

/** The business's own name and logo, the pages, and a quiet footer. */
export function Frame({ site, session, isSignedOut, children }: FrameProps) {
  const path = usePath();
  const mark = useContext(Mark);
  const pages = session?.pages ?? site?.pages ?? [];
  return (
    // Wide before the documentation is loaded, so that nothing moves when it is.
    <div className="site" data-wide={isAt(path, docsPlace.href) || undefined}>
      <header className="site-head">
        <a className="visually-hidden" href="#main">
          Skip to the content
        </a>
        {session?.isView && (
          <p className="site-view">You see this portal as {session.consumer.name} does. Nothing can be changed.</p>
        )}
        {session?.suspension && (
          <p className="site-view">
            Your account is suspended{session.suspension.reason === undefined ? "." : `: ${session.suspension.reason}`}{" "}
            Requests are rejected. You can read and pay, but change nothing.
          </p>
        )}
        <div className="site-bar">
          <Link href="/" className="site-name">
            {site && <img src={mark ?? (site.hasLogo ? "/portal/logo" : "/portal/icon.svg")} alt="" />}
            <span className="truncate">{site?.title}</span>
          </Link>
          {session && <SignedIn session={session} />}
          {isSignedOut && site && canEnter(site) && path !== "/" && !path.startsWith("/sign-in") && (
            <Link href="/sign-in" className="button">
              Sign in
            </Link>
          )}
          <ThemeButton />
        </div>
        {pages.length > 0 && <Places path={path} pages={pages} />}
      </header>
      <main className="site-main" id="main" tabIndex={-1}>
        {children}
      </main>
      <footer className="site-foot">
        <div>
          <span>{site?.title}</span>
          {site?.links.map(({ label, url }) => (
            <a key={`${label} ${url}`} href={url} rel="noreferrer">
              {label}
            </a>
          ))}
          {site?.termsUrl && (
            <a href={site.termsUrl} rel="noreferrer">
              Terms
            </a>
          )}
          {session?.returnUrl && (
            <a href={session.returnUrl} rel="noreferrer">
              Back to {new URL(session.returnUrl).host}
            </a>
          )}
        </div>
      </footer>
    </div>
  );
}

/** A row of groups, which on a phone is behind a button that names the current page. */
function Places({ path, pages }: { path: string; pages: PortalSession["pages"] }) {
  const [openedAt, setOpenedAt] = useState<string>();
  const groups = groupsOf(pages);
  const link = ({ href, label }: typeof startPlace) => (
    <Link
      key={href}
      href={href}
      aria-current={isAt(path, href) ? "page" : undefined}
      onNavigate={() => setOpenedAt(undefined)}
    >
      {label}
    </Link>
  );
  const current = placesOf(pages).find(({ href }) => isAt(path, href)) ?? { label: "Menu" };
  // Going to another page closes it.
  const isOpen = openedAt === path;
  return (
    <nav className="site-nav" aria-label="Portal" data-open={isOpen || undefined}>
      <button
        type="button"
        className="site-menu"
        aria-expanded={isOpen}
        onClick={() => setOpenedAt(isOpen ? undefined : path)}
      >
        <MenuIcon size={16} aria-hidden />
        {current.label}
      </button>
      <div className="site-group">{link(startPlace)}</div>
      {groups.map(({ label, places }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset groups controls of a form.
        <div className="site-group" role="group" aria-label={label} key={label}>
          {places.length > 1 && (
            <span className="site-group-label" aria-hidden>
              {label}
            </span>
          )}
          {places.map(link)}
        </div>
      ))}
    </nav>
  );
}

const isAt = (path: string, href: string): boolean =>
  path === href || (href === docsPlace.href && path.startsWith(`${href}/`));

/** The customer, with a menu if the person manages several. */
function CustomerMenu({ session }: { session: PortalSession }) {
  const customers = useRead("listPortalCustomers", { enabled: session.isManager });
  const change = useAction(
    (membershipId: string) => call("switchPortalCustomer", { params: { membershipId } }),
    (opened) => {
      signedIn(opened);
      goTo("/");
    },
  );
  const several = customers.data && customers.data.data.length > 1 ? customers.data.data : undefined;
  if (!several)
    return (
      <span className="site-who truncate" title={session.subject}>
        {session.consumer.name}
      </span>
    );
  return (
    <select
      className="input site-switch"
      aria-label="Account"
      title={session.subject}
      disabled={change.isPending}
      value={several.find(({ isCurrent }) => isCurrent)?.id}
      onChange={(event) => change.mutate(event.target.value)}
    >
      {several.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Ends the session at the identity provider too, which leads back. */
const providerSignOut = "/sign-in/provider/sign-out";

function SignedIn({ session }: { session: PortalSession }) {
  const leave = useAction(signOut, () => (session.isByProvider ? window.location.assign(providerSignOut) : goTo("/")));
  return (
    <>
      <CustomerMenu session={session} />
      <Button kind="quiet" isSmall isBusy={leave.isPending} onClick={() => leave.mutate()}>
        {session.isView ? <Eye size={14} aria-hidden /> : <LogOut size={14} aria-hidden />}
        {session.isView ? "End view" : "Sign out"}
      </Button>
    </>
  );
}
