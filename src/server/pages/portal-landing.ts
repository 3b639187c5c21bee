import type { PageState } from "../../areas/portal/site/page-state.ts";
import { curlOf } from "../../lib/text/curl.ts";
import { accessText, canEnter, firstSteps, landingTexts } from "../../lib/text/portal-landing.ts";
import { includedIn, priceParts } from "../../lib/text/prices.ts";
import { escaped } from "./page-html.ts";

type Site = PageState["site"];

/**
 * The landing page for readers without scripts and for search engines, with the elements and classes of the page that
 * scripts render, so that nothing moves when they replace it: see landing.tsx of the portal.
 */
export function landingHtml(site: Site): string {
  const { title, description, links, termsUrl, pages } = site;
  const footer = [
    ...links.map(({ label, url }) => link(url, label)),
    ...(termsUrl === undefined ? [] : [link(termsUrl, "Terms")]),
  ];
  return `<div class="site"><header class="site-head"><div class="site-bar"><a class="site-name" href="/">${mark(site)}<span class="truncate">${escaped(title)}</span></a></div>${
    pages.length === 0
      ? ""
      : '<nav class="site-nav" aria-label="Portal"><a href="/" aria-current="page">Start</a><a href="/docs">Documentation</a></nav>'
  }</header><main class="site-main"><div class="landing"><section class="landing-hero"><div class="landing-about"><h1>${escaped(title)}</h1>${
    description === undefined ? "" : `<p class="lead">${escaped(description)}</p>`
  }<p class="row row-wrap">${pages.includes("docs") ? `<a class="button" href="/docs">${landingTexts.readDocs}</a>` : ""}${
    site.plans.length > 0 ? `<a class="button" data-kind="quiet" href="#plans">${landingTexts.seePlans}</a>` : ""
  }</p></div>${accessPanel(site)}</section>${quickStart(site)}${plans(site)}${apis(site)}</div></main><footer class="site-foot"><div><span>${escaped(title)}</span>${footer.join("")}</div></footer></div>`;
}

const link = (url: string, label: string) => `<a href="${escaped(url)}" rel="noreferrer">${escaped(label)}</a>`;

const mark = ({ hasLogo }: Site) => `<img src="${hasLogo ? "/portal/logo" : "/portal/icon.svg"}" alt="">`;

function accessPanel(site: Site): string {
  const { heading, paragraphs } = accessText(site);
  const hint = canEnter(site) ? "<noscript><p>Signing in needs JavaScript.</p></noscript>" : "";
  const shown = canEnter(site) ? [] : paragraphs;
  return `<section class="enter-panel"><div class="enter"><h2>${escaped(heading)}</h2>${shown.map((text) => `<p>${escaped(text)}</p>`).join("")}${hint}</div></section>`;
}

function quickStart(site: Site): string {
  const api = site.apis.find(({ example }) => example);
  const steps = firstSteps(site).map(
    ({ title, text }) => `<li><strong>${escaped(title)}</strong><span>${escaped(text)}</span></li>`,
  );
  const code = api?.example
    ? `<div class="code-block"><div class="code-block-head"><span>${escaped(api.title)}</span></div><pre tabindex="0"><code>${escaped(curlOf(api.example, "YOUR_API_KEY"))}</code></pre></div>`
    : "";
  return `<section class="landing-section"><h2>${landingTexts.quickStart}</h2><div class="quick-start"><ol class="steps">${steps.join("")}</ol>${code}</div></section>`;
}

function plans({ plans: offers }: Site): string {
  if (offers.length === 0) return "";
  const cards = offers.map((offer) => {
    const { amount, per } = priceParts(offer);
    const included = includedIn(offer).map((text) => `<li><span>${escaped(text)}</span></li>`);
    return `<li class="plan-card"><h3>${escaped(offer.label)}</h3><p class="plan-price"><strong>${escaped(amount)}</strong>${per === undefined ? "" : ` ${escaped(per)}`}</p>${
      offer.description === undefined ? "" : `<p class="muted">${escaped(offer.description)}</p>`
    }<ul class="plan-includes">${included.join("")}</ul></li>`;
  });
  return `<section class="landing-section" id="plans"><h2>${landingTexts.plans}</h2><ul class="plan-cards" aria-label="Plans">${cards.join("")}</ul></section>`;
}

function apis({ apis: all }: Site): string {
  const documented = all.filter(({ page }) => page !== undefined);
  if (documented.length === 0) return "";
  const cards = documented.map(
    ({ title, description, page }) =>
      `<a class="step-link" href="${escaped(page!)}"><strong>${escaped(title)}</strong>${description === undefined ? "" : `<span>${escaped(description)}</span>`}</a>`,
  );
  return `<section class="landing-section"><h2>${landingTexts.reference}</h2><div class="step-links">${cards.join("")}</div></section>`;
}
