import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { bindInput, TextField } from "../../../components/field.tsx";
import { Notice } from "../../../components/notice.tsx";
import { messageOf, statusOf } from "../../../lib/errors.ts";
import { signedIn } from "../../queries/session.tsx";

/** The form for a token, where the first one is found, and a warning if the browser would not keep the session. */
export function TokenSignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const [token, setToken] = useState("");
  const signIn = useMutation({
    mutationKey: ["sign-in"],
    mutationFn: async () => {
      const { caller } = await signedIn.sessions.create({ token: token.trim() });
      if (caller.role !== "verifier") return;
      await signedIn.sessions.delete("current");
      throw new Error("Tokens of the role verifier only check keys and count usage. Sign in with one that may read.");
    },
    onSuccess: onSignedIn,
  });
  const error =
    signIn.error &&
    (statusOf(signIn.error) === 401 ? "This token is not valid, or has expired." : messageOf(signIn.error));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        signIn.mutate();
      }}
    >
      <TextField
        label="Token"
        type="password"
        autoComplete="current-password"
        isMono
        autoFocus
        required
        {...bindInput(token, setToken, error || undefined)}
      />
      <Button type="submit" kind="primary" isBusy={signIn.isPending} disabled={token.trim() === ""}>
        Sign in
      </Button>
      {!window.isSecureContext && <PlainHttp />}
      <p className="signin-hint">
        The first admin token was printed when the server started, and is kept in the file <code>admin-token</code> of
        its data directory.
      </p>
    </form>
  );
}

/**
 * Over plain HTTP, browsers drop the session's cookie and the server rejects the sign-in, so a warning is shown first.
 */
function PlainHttp() {
  const { port } = window.location;
  return (
    <Notice kind="warning">
      <p>
        This page came over plain HTTP, where browsers do not keep you signed in. Serve it over https and set{" "}
        <code>TOLLGATE_PUBLIC_URL</code> to its address, or open it on the server's own loopback address, for example
        through a tunnel:
      </p>
      <Code text={`ssh -L ${port || "8787"}:127.0.0.1:${port || "8787"} ${window.location.hostname}`} />
    </Notice>
  );
}
