import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { messageOf, statusOf } from "../../../lib/errors.ts";
import { signedIn } from "../../queries/session.tsx";

interface FieldFormProps extends ComponentProps<typeof TextField> {
  of: { isPending: boolean; mutate: () => void };
  action: string;
  isComplete: boolean;
  /** Above the field. */
  before?: ReactNode;
  children?: ReactNode;
}

/** One field and a button. A dialog may be above another form, which is not sent. */
function FieldForm({ of, action, isComplete, before, children, ...field }: FieldFormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        of.mutate();
      }}
      noValidate
    >
      {before}
      <TextField autoFocus required {...field} />
      <Button type="submit" kind="primary" isBusy={of.isPending} disabled={!isComplete}>
        {action}
      </Button>
      {children}
    </form>
  );
}

/** Signs in with what is typed. */
function useTyped<Result>(send: (text: string) => Promise<Result>, onSuccess?: () => void) {
  const [text, setText] = useState("");
  const signIn = useMutation({ mutationKey: ["sign-in"], mutationFn: () => send(text.trim()), onSuccess });
  const error = signIn.error ? messageOf(signIn.error) : undefined;
  return { text, signIn, input: bindInput(text, setText, error) };
}

interface Props {
  onSignedIn: () => void;
}

/** An address, then the code that was sent to it. */
export function MailSignIn({ onSignedIn }: Props) {
  const { text, signIn: start, input } = useTyped((email) => signedIn.sessions.sendMail({ email }));
  if (start.isSuccess) return <CodeForm email={text.trim()} onSignedIn={onSignedIn} onBack={() => start.reset()} />;
  return (
    <FieldForm
      of={start}
      action="Send sign-in mail"
      isComplete={text.trim() !== ""}
      label="Email"
      type="email"
      autoComplete="email"
      {...input}
    />
  );
}

function CodeForm({ email, onSignedIn, onBack }: Props & { email: string; onBack: () => void }) {
  const { text, signIn, input } = useTyped((code) => signedIn.sessions.createWithCode({ code }), onSignedIn);
  return (
    <FieldForm
      of={signIn}
      action="Sign in"
      isComplete={text.replaceAll(" ", "").length === 8}
      before={
        <p>
          If {email} belongs to a member, a mail is on its way. Open its link, or enter its code here. Both work for 15
          minutes.
        </p>
      }
      label="Code"
      isMono
      inputMode="numeric"
      autoComplete="one-time-code"
      {...input}
    >
      <Button kind="quiet" onClick={onBack}>
        Use another address
      </Button>
    </FieldForm>
  );
}

/** The form for a token, where the first one is found, and a warning if the browser would not keep the session. */
export function TokenSignIn({ onSignedIn }: Props) {
  const { text, signIn, input } = useTyped(async (token) => {
    const { caller } = await signedIn.sessions.create({ token });
    if (caller.role !== "verifier") return;
    await signedIn.sessions.delete("current");
    throw new Error("Tokens of the role verifier only check keys and count usage. Sign in with one that may read.");
  }, onSignedIn);
  const isUnknown = statusOf(signIn.error) === 401;
  return (
    <FieldForm
      of={signIn}
      action="Sign in"
      isComplete={text.trim() !== ""}
      label="Token"
      type="password"
      autoComplete="current-password"
      isMono
      {...input}
      error={isUnknown ? "This token is not valid, or has expired." : input.error}
    >
      {!window.isSecureContext && <PlainHttp />}
      <p className="signin-hint">
        The first admin token was printed when the server started, and is kept in the file <code>admin-token</code> of
        its data directory.
      </p>
    </FieldForm>
  );
}

/**
 * Over plain HTTP, browsers drop the session's cookie and the server rejects the sign-in, so a warning is shown first.
 */
function PlainHttp() {
  const { port, hostname } = window.location;
  return (
    <Notice kind="warning">
      <p>
        This page came over plain HTTP, where browsers do not keep you signed in. Serve it over https and set{" "}
        <code>TOLLGATE_PUBLIC_URL</code> to its address, or open it on the server's own loopback address, for example
        through a tunnel:
      </p>
      <Code text={`ssh -L ${port || "8787"}:127.0.0.1:${port || "8787"} ${hostname}`} />
    </Notice>
  );
}
