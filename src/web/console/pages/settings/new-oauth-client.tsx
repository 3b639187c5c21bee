import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { TextArea, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { CopyAs, useCall } from "../../shell/requests.tsx";

interface NewOAuthClientProps {
  bucket: string;
  onClose: () => void;
}

/** Creates a client that every customer may authorize, and shows its id. */
export function NewOAuthClient({ bucket, onClose }: NewOAuthClientProps) {
  const [name, setName] = useState("");
  const [redirects, setRedirects] = useState("http://127.0.0.1/callback");
  const redirectUris = redirects.split("\n").flatMap((line) => line.trim() || []);
  const input = { name: name.trim(), redirectUris };
  const create = useCall({ call: (api) => api.portal(bucket).createOAuthClient(input) });
  if (create.data)
    return (
      <Dialog
        title={`${create.data.name} can be authorized`}
        onClose={onClose}
        foot={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <p>The program identifies itself with this id. It needs no secret: PKCE protects its codes.</p>
        <div className="stack stack-tight">
          <h3>Client id</h3>
          <Code text={create.data.clientId} />
        </div>
      </Dialog>
    );
  const errors = fieldErrors(create.error);
  const redirectError = [...redirectUris.keys()]
    .map((index) => errorAt(errors, `/redirectUris/${index}`))
    .find((error) => error !== undefined);
  return (
    <FormDialog
      title="Create program"
      mutation={create}
      submit="Create program"
      onClose={onClose}
      blocksClosing
      footStart={<CopyAs of={create} />}
    >
      <TextField
        label="Name"
        hint="Customers see it when they consent."
        maxLength={80}
        {...bindInput(name, setName, errorAt(errors, "/name"))}
      />
      <TextArea
        label="Redirect addresses"
        isMono
        rows={2}
        hint="One per line: where the browser returns to. https, or a loopback address, which may have any port."
        {...bindInput(redirects, setRedirects, redirectError ?? errorAt(errors, "/redirectUris"))}
      />
    </FormDialog>
  );
}
