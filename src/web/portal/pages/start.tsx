import { ArrowUpRight, Blocks, BookOpen, Bot } from "lucide-react";
import { lazy, Suspense } from "react";
import type { PortalSession, PortalSite } from "../../../client/transport/portal-schema.gen.ts";
import { landingTexts } from "../../../lib/text/portal-landing.ts";
import { SkeletonLines } from "../../components/notice.tsx";
import { Link } from "../../lib/router.tsx";
import { useCreatedKey } from "../queries/kept-keys.ts";
import { useApis } from "../queries/session.ts";
import { QuickStart } from "./quick-start.tsx";

const Summary = lazy(() => import("./start-summary.tsx"));

/** Pages that the summary does not lead to. */
const steps: Partial<Record<PortalSession["pages"][number], { icon: typeof Blocks; title: string; text: string }>> = {
  docs: { icon: BookOpen, title: "Documentation", text: "Guides, and every operation with samples." },
  programs: { icon: Blocks, title: "Programs", text: "What may use the API for you without a key." },
  agents: { icon: Bot, title: "Agents", text: "Let your agent use the API as tools." },
};

export function Start({ site, session }: { site: PortalSite; session: PortalSession }) {
  return (
    <div className="stack stack-loose">
      <div>
        <h1>{site.title}</h1>
        {site.description && <p className="lead">{site.description}</p>}
      </div>
      <Suspense fallback={<SkeletonLines count={6} />}>
        <Summary session={session}>
          <div className="step-links">
            {session.pages.flatMap((page) => {
              const step = steps[page];
              if (!step) return [];
              return (
                <Link className="step-link" href={`/${page}`} key={page}>
                  <step.icon size={20} aria-hidden />
                  <strong>{step.title}</strong>
                  <span>{step.text}</span>
                </Link>
              );
            })}
            {site.links.slice(0, 3).map(({ label, url }) => (
              <a className="step-link" href={url} rel="noreferrer" key={`${label} ${url}`}>
                <ArrowUpRight size={20} aria-hidden />
                <strong>{label}</strong>
                <span className="truncate">{new URL(url).host}</span>
              </a>
            ))}
          </div>
          <FirstRequest session={session} />
        </Summary>
      </Suspense>
    </div>
  );
}

/** A request that works with the customer's own key, as soon as they have created one here. */
function FirstRequest({ session }: { session: PortalSession }) {
  const apis = useApis();
  const key = useCreatedKey();
  const all = apis.data?.data ?? [];
  const api = all.find(({ example }) => example);
  if (!api) return null;
  return (
    <section className="landing-section">
      <h2>{landingTexts.quickStart}</h2>
      <QuickStart
        steps={[
          { title: "Know the address", text: `The API is at ${api.url}.` },
          key === undefined
            ? {
                title: session.pages.includes("keys") ? "Create a key" : "Get a key",
                text: session.pages.includes("keys")
                  ? "Under Keys. It is filled into this sample, and into those of the documentation."
                  : "From a colleague who may create keys.",
              }
            : { title: "Your key is filled in", text: "Until you leave or reload the page. It is stored nowhere." },
          {
            title: "Send your first request",
            text:
              key === undefined
                ? "Set KEY to your key, and paste this into a terminal."
                : "Paste this into a terminal: it works as it is.",
          },
        ]}
        api={api}
        apiKey={key ?? "$KEY"}
      />
    </section>
  );
}
