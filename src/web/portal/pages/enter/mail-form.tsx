import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PortalSignInOutcome, PortalSite } from "../../../../client/transport/portal-schema.gen.ts";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { call } from "../../queries/api.ts";
import { signInFrom } from "./sign-in-from.ts";

interface MailFormProps {
  site: PortalSite;
  onOutcome: (outcome: PortalSignInOutcome) => void;
}

/** An address, then the code that was sent to it. */
export function MailForm({ site, onOutcome }: MailFormProps) {
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

/** The code signs in as soon as it is whole. */
function CodeForm({
  email,
  onOutcome,
  onBack,
}: {
  email: string;
  onOutcome: (outcome: PortalSignInOutcome) => void;
  onBack: () => void;
}) {
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
