import { ArrowUpRight, Blocks, BookOpen, Bot, ChartLine, KeyRound, ListChecks } from "lucide-react";
import type { PortalSession, PortalSite } from "../../../client/portal/schema.gen.ts";
import { Code } from "../../components/copy.tsx";
import { curlOf } from "../../lib/curl.ts";
import { Link } from "../../lib/router.tsx";
import { useApis } from "../queries/session.ts";
import { placesOf } from "../shell/places.ts";

const steps: Record<string, { icon: typeof KeyRound; title: string; text: string }> = {
  "/docs": { icon: BookOpen, title: "Documentation", text: "Guides, and every operation with samples." },
  "/keys": { icon: KeyRound, title: "Keys", text: "Create a key, roll it, or end it." },
  "/programs": { icon: Blocks, title: "Programs", text: "What may use the API for you without a key." },
  "/usage": { icon: ChartLine, title: "Usage", text: "What you used of your plan, and when it resets." },
  "/requests": { icon: ListChecks, title: "Requests", text: "What you sent lately, and why something failed." },
};

export function Start({ site, session }: { site: PortalSite; session: PortalSession }) {
  const apis = useApis();
  return (
    <div className="stack stack-loose">
      <div>
        <h1>{site.title}</h1>
        {site.description && <p className="lead">{site.description}</p>}
      </div>
      <div className="step-links">
        {placesOf(session, site).flatMap(({ href }) => {
          const step = steps[href];
          if (!step) return [];
          return (
            <Link className="step-link" href={href} key={href}>
              <step.icon size={20} aria-hidden />
              <strong>{step.title}</strong>
              <span>{step.text}</span>
            </Link>
          );
        })}
        {apis.data?.data.some(({ agents }) => agents) && (
          <Link className="step-link" href="/agents">
            <Bot size={20} aria-hidden />
            <strong>Agents</strong>
            <span>Let your agent use the API as tools.</span>
          </Link>
        )}
        {site.links.slice(0, 3).map(({ label, url }) => (
          <a className="step-link" href={url} rel="noreferrer" key={`${label} ${url}`}>
            <ArrowUpRight size={20} aria-hidden />
            <strong>{label}</strong>
            <span className="truncate">{new URL(url).host}</span>
          </a>
        ))}
      </div>
      {apis.data?.data.map(({ title, url, example }) => (
        <section className="stack stack-tight" key={url}>
          <h2>{title}</h2>
          <p className="muted wrap-anywhere">{url}</p>
          {example && (
            <>
              <p className="small muted">Set KEY to one of your keys and send a first request:</p>
              <Code text={curlOf(example, "$KEY")} />
            </>
          )}
        </section>
      ))}
    </div>
  );
}
