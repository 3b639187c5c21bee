import type { PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { canEnter, firstSteps, landingTexts } from "../../../lib/text/portal-landing.ts";
import { Badge } from "../../components/badge.tsx";
import { Link } from "../../lib/router.tsx";
import { Access } from "./enter/enter.tsx";
import { PlanOffer, usePlansAt } from "./plan-offer.tsx";
import { QuickStart } from "./quick-start.tsx";

/**
 * The start page for visitors without a session. The server writes the same elements, for readers without scripts: see
 * portal-landing.ts.
 */
export function Landing({ site }: { site: PortalSite }) {
  const documented = site.apis.filter(({ page }) => page !== undefined);
  const offered = usePlansAt(site.plans);
  return (
    <div className="landing">
      <section className="landing-hero">
        <div className="landing-about">
          <h1>{site.title}</h1>
          {site.description && <p className="lead">{site.description}</p>}
          <p className="row row-wrap">
            {site.pages.includes("docs") && (
              <Link className="button" href="/docs">
                {landingTexts.readDocs}
              </Link>
            )}
            {site.plans.length > 0 && (
              <a className="button" data-kind="quiet" href="#plans">
                {landingTexts.seePlans}
              </a>
            )}
          </p>
        </div>
        <section className="enter-panel">
          <Access site={site} level="h2" />
        </section>
      </section>
      <section className="landing-section">
        <h2>{landingTexts.quickStart}</h2>
        <QuickStart steps={firstSteps(site)} api={site.apis.find(({ example }) => example)} apiKey="YOUR_API_KEY" />
      </section>
      {site.plans.length > 0 && (
        <section className="landing-section" id="plans">
          <h2>{landingTexts.plans}</h2>
          {offered.choice}
          <ul className="plan-cards" aria-label="Plans">
            {offered.plans.map((plan) => (
              <li className="plan-card" key={plan.planExternalId} data-current={plan.isRecommended}>
                <h3 className="row">
                  {plan.label} {plan.isRecommended && <Badge tone="green">Recommended</Badge>}
                </h3>
                <PlanOffer plan={plan} />
                <Choose site={site} plan={plan} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {documented.length > 0 && (
        <section className="landing-section">
          <h2>{landingTexts.reference}</h2>
          <div className="step-links">
            {documented.map(({ title, description, page }) => (
              <Link className="step-link" key={page} href={page!}>
                <strong>{title}</strong>
                {description && <span>{description}</span>}
              </Link>
            ))}
          </div>
        </section>
      )}
    </div>
  );
}

/** Leads through the sign-in to the purchase of the plan. */
function Choose({ site, plan }: { site: PortalSite; plan: PortalSite["plans"][number] }) {
  if (!canEnter(site) || site.signUp === "closed") return null;
  if (!plan.isAvailable) return <p className="muted">Not available yet</p>;
  return (
    <Link className="button" data-kind="primary" href={`/sign-in?plan=${encodeURIComponent(plan.planExternalId)}`}>
      {site.signUp === "approval" ? "Request access" : `Choose ${plan.label}`}
    </Link>
  );
}
