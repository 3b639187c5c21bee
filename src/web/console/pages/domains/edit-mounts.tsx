import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Domain } from "../../../../client/index.ts";
import { Dialog, DialogButtons } from "../../../components/dialog.tsx";
import { ErrorNotice } from "../../../components/notice.tsx";
import { fieldErrors } from "../../../lib/errors.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { DeploymentsField, deploymentsOf, mountOptions } from "./deployments-field.tsx";

interface Props {
  domain: Domain;
  onClose: () => void;
  onDone: () => void;
}

/** Changes the deployments of a domain. */
export function EditMounts({ domain, onClose, onDone }: Props) {
  const { api, account } = useSession();
  const [mounts, setMounts] = useState(domain.mounts ?? [{ path: "/", deploymentName: domain.deploymentName }]);
  const body = deploymentsOf(mounts);
  const save = useMutation({ mutationFn: () => api.domains.update(domain.id, body), onSuccess: onDone });
  return (
    <Dialog
      title={`Deployments of ${domain.host}`}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      footStart={
        <CopyAs
          request={{ method: "PATCH", path: `/v1/accounts/${account}/domains/${domain.id}`, body }}
          command={command("domains", "update", domain.host, ...mountOptions(mounts))}
        />
      }
      foot={
        <DialogButtons onClose={onClose} isBusy={save.isPending} disabled={mounts.some(({ path }) => path === "")}>
          Save deployments
        </DialogButtons>
      }
    >
      {save.error && <ErrorNotice error={save.error} />}
      <p className="muted">The longest path that matches a request wins. The change applies to the next request.</p>
      <DeploymentsField mounts={mounts} errors={fieldErrors(save.error)} onChange={setMounts} />
    </Dialog>
  );
}
