import { type ReactNode, useState } from "react";
import type { PortalSignInOutcome, PortalSite } from "../../../../client/portal/schema.gen.ts";
import { MailForm } from "./mail-form.tsx";
import { enter, NextStep } from "./outcome.tsx";
import { ProviderButton } from "./provider.tsx";

/** The sign-in of the portal itself. `title` is shown above the first step. */
export function Enter({ site, title }: { site: PortalSite; title: ReactNode }) {
  const [outcome, setOutcome] = useState<PortalSignInOutcome>();
  const { mail, provider } = site.signIn;
  const proceed = (next: PortalSignInOutcome) => (next.session ? enter(next.session) : setOutcome(next));
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
    </div>
  );
}

export const enterTitle = ({ signUp, title }: PortalSite): string =>
  signUp === "closed" ? `Sign in to ${title}` : "Sign in or create an account";
