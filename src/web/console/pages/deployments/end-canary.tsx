import type { Traffic } from "../../../../client/index.ts";
import { Confirm } from "../../../components/confirm.tsx";
import { toast } from "../../../components/toast.tsx";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

interface Props {
  name: string;
  traffic: Traffic;
  onClose: () => void;
}

export function PromoteCanary({ name, traffic: { liveVersionNumber, splits }, onClose }: Props) {
  const { api } = useSession();
  const number = splits[1]?.versionNumber;
  return (
    <Confirm
      title={`Promote version ${number}?`}
      action={`Promote version ${number}`}
      isSafe
      footStart={
        <CopyAs
          request={{ method: "POST", path: `/v1/deployments/${name}/traffic/$promote` }}
          command={command("traffic", "promote", name)}
        />
      }
      run={() => api.traffic.promote(name)}
      onClose={onClose}
      onDone={() => {
        toast(`Version ${number} is live`);
        onClose();
      }}
    >
      <p>
        Version {number} serves all requests from now on, without losing one. A roll-back returns to version{" "}
        {liveVersionNumber}.
      </p>
    </Confirm>
  );
}

export function StopCanary({ name, traffic: { liveVersionNumber, splits }, onClose }: Props) {
  const { api } = useSession();
  const number = splits[1]?.versionNumber;
  return (
    <Confirm
      title="Stop the canary release?"
      action="Stop the release"
      footStart={
        <CopyAs
          request={{ method: "DELETE", path: `/v1/deployments/${name}/traffic` }}
          command={command("traffic", "stop", name)}
        />
      }
      run={() => api.traffic.stop(name)}
      onClose={onClose}
      onDone={() => {
        toast(`Version ${liveVersionNumber} serves all requests`);
        onClose();
      }}
    >
      <p>
        Version {liveVersionNumber} serves all requests at once. Version {number} stays and can get a share again, with
        counts from zero.
      </p>
    </Confirm>
  );
}
