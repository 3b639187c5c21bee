import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { PortalSignInOutcome, PortalSite } from "../../../../client/transport/portal-schema.gen.ts";
import { accessText, canEnter } from "../../../../lib/text/portal-landing.ts";
import { Button } from "../../../components/button.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { call } from "../../queries/api.ts";
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
  if (outcome) return <NextStep site={site} outcome={outcome} />;
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

interface MailFormProps {
  site: PortalSite;
  onOutcome: (outcome: PortalSignInOutcome) => void;
}

/** An address, then the code that was sent to it. */
function MailForm({ site, onOutcome }: MailFormProps) {
  const [email, setEmail] = useState("");
  const start = useMutation({
    mutationFn: () => call("startPortalSignIn", { body: { email: email.trim(), ...signInFrom() } }),
  });
  if (start.isSuccess) return <CodeForm email={email.trim()} onOutcome={onOutcome} onBack={() => start.reset()} />;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        required
        hint={site.signUp === "closed" ? undefined : "New here? The same mail creates your account."}
        {...bindInput(email, setEmail, start.error ? messageOf(start.error) : undefined)}
      />
      <div className="button-wide">
        <Button type="submit" kind="primary" isBusy={start.isPending} disabled={email.trim() === ""}>
          Continue
        </Button>
      </div>
    </form>
  );
}

const isWhole = (code: string): boolean => code.replaceAll(" ", "").length === 8;

interface CodeFormProps {
  email: string;
  onOutcome: (outcome: PortalSignInOutcome) => void;
  onBack: () => void;
}

/** The code signs in as soon as it is whole. */
function CodeForm({ email, onOutcome, onBack }: CodeFormProps) {
  const [code, setCode] = useState("");
  const signIn = useMutation({
    mutationFn: (typed: string) => call("signInToPortalWithCode", { body: { code: typed } }),
    onSuccess: onOutcome,
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate(code);
      }}
    >
      <p>
        If {email} may sign in here, a mail is on its way. Open its link, or enter its code. Both work for 15 minutes.
      </p>
      <TextField
        label="Code"
        isMono
        autoFocus
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        error={signIn.error ? messageOf(signIn.error) : undefined}
        onChange={(event) => {
          setCode(event.target.value);
          if (isWhole(event.target.value) && !signIn.isPending) signIn.mutate(event.target.value);
        }}
      />
      <div className="row row-wrap">
        <Button type="submit" kind="primary" isBusy={signIn.isPending} disabled={!isWhole(code)}>
          Sign in
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Use another address
        </Button>
      </div>
    </form>
  );
}
