import type { PortalSite } from "../../../client/portal/schema.gen.ts";
import { canEnter } from "../queries/can-enter.ts";
import { Enter, enterTitle } from "./enter/enter.tsx";

/** For visitors without a session. */
export function Welcome({ site }: { site: PortalSite }) {
  return (
    <div className="welcome">
      <h1>{site.title}</h1>
      {site.description && <p className="lead">{site.description}</p>}
      {canEnter(site) ? (
        <section className="enter-panel">
          <Enter site={site} title={<h2>{enterTitle(site)}</h2>} />
        </section>
      ) : (
        <p>
          You are not signed in. Open this portal from your account at {site.title}: there, you are signed in already.
        </p>
      )}
      {site.links.length > 0 && (
        <p className="row row-wrap links">
          {site.links.map(({ label, url }) => (
            <a key={`${label} ${url}`} href={url} rel="noreferrer">
              {label}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}
