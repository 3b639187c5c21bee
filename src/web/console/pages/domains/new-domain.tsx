import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog, DialogButtons } from "../../../components/dialog.tsx";
import { SelectField, TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

interface Props {
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function NewDomain({ onClose, onCreated }: Props) {
  const { api, account } = useSession();
  const [host, setHost] = useState("");
  const [chosen, setChosen] = useState<string>();
  const deployments = useQuery({
    queryKey: ["deployments", "all"],
    queryFn: ({ signal }) => api.deployments.listAll({ signal }).all(),
  });
  const deploymentName = chosen ?? deployments.data?.[0]?.name ?? "";
  const body = { host, deploymentName };
  const create = useMutation({ mutationFn: () => api.domains.create(body), onSuccess: ({ id }) => onCreated(id) });
  const errors = fieldErrors(create.error);
  const atFields = { host: errorAt(errors, "/host"), deployment: errorAt(errors, "/deploymentName") };
  return (
    <Dialog
      title="Add a domain"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/accounts/${account}/domains`, body }}
          command={command("domains", "add", host, "--deployment", deploymentName)}
        />
      }
      foot={
        <DialogButtons onClose={onClose} isBusy={create.isPending} disabled={host === "" || deploymentName === ""}>
          Add domain
        </DialogButtons>
      }
    >
      {create.error && !atFields.host && !atFields.deployment && <ErrorNotice error={create.error} />}
      {deployments.error && <ErrorNotice error={deployments.error} />}
      <TextField
        label="Host"
        isMono
        placeholder="api.acme.example"
        value={host}
        error={atFields.host}
        onChange={(event) => setHost(event.target.value)}
      />
      <SelectField
        label="Deployment"
        value={deploymentName}
        error={atFields.deployment}
        options={(deployments.data ?? []).map(({ name }) => ({ value: name, label: name }))}
        onChange={(event) => setChosen(event.target.value)}
      />
      <Notice>
        {deployments.data?.length === 0
          ? "There is no deployment yet. Deploy one first."
          : "Next you get two DNS records to set. Requests are routed once the first one is found."}
      </Notice>
    </Dialog>
  );
}
