import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Mount } from "../../../../client/index.ts";
import { Dialog, DialogButtons } from "../../../components/dialog.tsx";
import { TextField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { DeploymentsField, deploymentsOf, mountOptions, useDeployments } from "./deployments-field.tsx";

interface Props {
  onClose: () => void;
  onCreated: (id: string) => void;
}

export function NewDomain({ onClose, onCreated }: Props) {
  const { api, account } = useSession();
  const [host, setHost] = useState("");
  const [chosen, setChosen] = useState<Mount[]>();
  const deployments = useDeployments();
  const mounts = chosen ?? [{ path: "/", deploymentName: deployments.data?.[0]?.name ?? "" }];
  const isIncomplete = host === "" || mounts.some(({ path, deploymentName }) => path === "" || deploymentName === "");
  const body = { host, ...deploymentsOf(mounts) };
  const create = useMutation({ mutationFn: () => api.domains.create(body), onSuccess: ({ id }) => onCreated(id) });
  const errors = fieldErrors(create.error);
  return (
    <Dialog
      title="Add a domain"
      onClose={onClose}
      onSubmit={() => create.mutate()}
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/accounts/${account}/domains`, body }}
          command={command("domains", "add", host, ...mountOptions(mounts))}
        />
      }
      foot={
        <DialogButtons onClose={onClose} isBusy={create.isPending} disabled={isIncomplete}>
          Add domain
        </DialogButtons>
      }
    >
      {create.error && <ErrorNotice error={create.error} />}
      <TextField
        label="Host"
        isMono
        placeholder="api.acme.example"
        value={host}
        error={errorAt(errors, "/host")}
        onChange={(event) => setHost(event.target.value)}
      />
      <DeploymentsField mounts={mounts} errors={errors} onChange={setChosen} />
      <Notice>
        {deployments.data?.length === 0
          ? "There is no deployment yet. Deploy one first."
          : "Next you get two DNS records to set. Requests are routed once the first one is found."}
      </Notice>
    </Dialog>
  );
}
