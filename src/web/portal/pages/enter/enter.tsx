import { type ReactNode, useState } from "react";
import type { PortalSignInOutcome, PortalSite } from "../../../../client/transport/portal-schema.gen.ts";
import { accessText, canEnter } from "../../../../lib/text/portal-landing.ts";
import { MailForm } from "./mail-form.tsx";
import { enter, NextStep } from "./outcome.tsx";
import { ProviderButton } from "./provider.tsx";
import { signInFrom } from "./sign-in-from.ts";

interface AccessProps {
  site: PortalSite;
  /** The level of its heading. */
  level: "h1" | "h2";
  /** Shown below the heading. */
  note?: ReactNode;
}

/** How to get in: the sign-in of the portal itself or, if people come from the site of the business, where to begin. */
export function Access({ site, level: Heading, note }: AccessProps) {
  const { heading, paragraphs } = accessText(site);
  const texts = paragraphs.map((text) => <p key={text}>{text}</p>);
  if (canEnter(site))
    return (
      <Enter
        site={site}
        title={
          <>
            <Heading>{heading}</Heading>
            {note}
          </>
        }
        foot={texts.length > 0 && <div className="small muted">{texts}</div>}
      />
    );
  return (
    <div className="enter">
      <Heading>{heading}</Heading>
      {texts}
      {site.links.length > 0 && (
        <p className="row row-wrap">
          {site.links.map(({ label, url }) => (
            <a className="button" key={`${label} ${url}`} href={url} rel="noreferrer">
              {label}
            </a>
          ))}
        </p>
      )}
    </div>
  );
}

/** The sign-in of the portal itself. `title` is shown above the first step, `foot` below it. */
function Enter({ site, title, foot }: { site: PortalSite; title: ReactNode; foot: ReactNode }) {
  const [outcome, setOutcome] = useState<PortalSignInOutcome>();
  const { mail, provider } = site.signIn;
  const proceed = (next: PortalSignInOutcome) =>
    next.session ? enter(next.session, signInFrom().to) : setOutcome({ ...signInFrom(), ...next });
  if (outcome)
    return (
      <div className="enter">
        <NextStep site={site} outcome={outcome} />
      </div>
    );
  return (
    <div className="enter">
      {title}
      {provider !== undefined && <ProviderButton host={provider} isPrimary={!mail} />}
      {provider !== undefined && mail && <p className="or">or</p>}
      {mail && <MailForm site={site} onOutcome={proceed} />}
      {foot}
    </div>
  );
}
