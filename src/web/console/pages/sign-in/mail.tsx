import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { signedIn } from "../../queries/session.tsx";

/** An address, then the code that was sent to it. */
export function MailSignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const [email, setEmail] = useState("");
  const start = useMutation({
    mutationKey: ["sign-in"],
    mutationFn: () => signedIn.sessions.sendMail({ email: email.trim() }),
  });
  if (start.isSuccess) return <CodeForm email={email.trim()} onSignedIn={onSignedIn} onBack={() => start.reset()} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        start.mutate();
      }}
      noValidate
    >
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        autoFocus
        required
        {...bindInput(email, setEmail, start.error ? messageOf(start.error) : undefined)}
      />
      <Button type="submit" kind="primary" isBusy={start.isPending} disabled={email.trim() === ""}>
        Send sign-in mail
      </Button>
    </form>
  );
}

interface CodeFormProps {
  email: string;
  onSignedIn: () => void;
  onBack: () => void;
}

function CodeForm({ email, onSignedIn, onBack }: CodeFormProps) {
  const [code, setCode] = useState("");
  const signIn = useMutation({
    mutationKey: ["sign-in"],
    mutationFn: () => signedIn.sessions.createWithCode({ code }),
    onSuccess: onSignedIn,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        signIn.mutate();
      }}
    >
      <p>
        If {email} belongs to a member, a mail is on its way. Open its link, or enter its code here. Both work for 15
        minutes.
      </p>
      <TextField
        label="Code"
        isMono
        autoFocus
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        {...bindInput(code, setCode, signIn.error ? messageOf(signIn.error) : undefined)}
      />
      <Button type="submit" kind="primary" isBusy={signIn.isPending} disabled={code.replaceAll(" ", "").length !== 8}>
        Sign in
      </Button>
      <Button kind="quiet" onClick={onBack}>
        Use another address
      </Button>
    </form>
  );
}
