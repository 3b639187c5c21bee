import type { Traffic } from "../../../../client/index.ts";
import { toast } from "../../../components/toast.tsx";
import { ConfirmCall } from "../../shell/requests.tsx";

interface Props {
  name: string;
  traffic: Traffic;
  onClose: () => void;
}

export function PromoteCanary({ name, traffic: { liveVersionNumber, splits }, onClose }: Props) {
  const number = splits[1]?.versionNumber;
  return (
    <ConfirmCall
      title={`Promote version ${number}?`}
      action={`Promote version ${number}`}
      isSafe
      call={(api) => api.traffic.promote(name)}
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
    </ConfirmCall>
  );
}

export function StopCanary({ name, traffic: { liveVersionNumber, splits }, onClose }: Props) {
  const number = splits[1]?.versionNumber;
  return (
    <ConfirmCall
      title="Stop the canary release?"
      action="Stop the release"
      call={(api) => api.traffic.stop(name)}
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
    </ConfirmCall>
  );
}
