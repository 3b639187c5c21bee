import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Choices, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../lib/errors.ts";
import { bindInput } from "../../lib/form-fields.ts";
import { call } from "../queries/api.ts";

type Kind = "service" | "person";

/** Creates a client: with a secret, or with a redirect address. */
export function CreateProgram({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<void> }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("service");
  const [redirectUri, setRedirectUri] = useState("http://127.0.0.1/callback");
  const create = useMutation({
    mutationFn: () => {
      const redirects = kind === "service" ? {} : { redirectUris: [redirectUri.trim()] };
      return call("createPortalOAuthClient", { body: { name: name.trim(), ...redirects } });
    },
    onSuccess: onDone,
  });
  if (create.data) return <Created client={create.data} onClose={onClose} />;
  const errors = fieldErrors(create.error);
  return (
    <FormDialog title="Connect a program" mutation={create} submit="Connect" onClose={onClose} blocksClosing>
      <TextField label="Name" maxLength={80} {...bindInput(name, setName, errorAt(errors, "/name"))} />
      <Choices
        legend="The program"
        name="kind"
        value={kind}
        onChange={(value) => setKind(value as Kind)}
        options={[
          { value: "service", label: "A service that signs in by itself, with a secret" },
          { value: "person", label: "Signs a person in, in a browser" },
        ]}
      />
      {kind === "person" && (
        <TextField
          label="Redirect address"
          hint="Where the browser returns to. A loopback address may have any port."
          {...bindInput(redirectUri, setRedirectUri)}
          error={errorAt(errors, "/redirectUris/0") ?? errorAt(errors, "/redirectUris")}
        />
      )}
    </FormDialog>
  );
}

function Created({
  client: { clientId, clientSecret },
  onClose,
}: {
  client: { clientId: string; clientSecret?: string };
  onClose: () => void;
}) {
  const token = `curl ${window.location.origin}/oauth/token -u "${clientId}:$SECRET" -d grant_type=client_credentials`;
  return (
    <Dialog
      title="The program is connected"
      isWide
      isStubborn={clientSecret !== undefined}
      onClose={onClose}
      foot={
        <Button kind="primary" onClick={onClose}>
          {clientSecret === undefined ? "Done" : "I have stored it"}
        </Button>
      }
    >
      <div className="stack stack-tight">
        <h3>Client id</h3>
        <Code text={clientId} />
      </div>
      {clientSecret !== undefined && (
        <>
          <Notice kind="warning">Copy the secret now and store it in a safe place. It is not shown again.</Notice>
          <div className="stack stack-tight">
            <h3>Secret</h3>
            <Code text={clientSecret} isSecret />
          </div>
          <div className="stack stack-tight">
            <h3>Get a token</h3>
            <Code text={token} />
          </div>
        </>
      )}
    </Dialog>
  );
}
