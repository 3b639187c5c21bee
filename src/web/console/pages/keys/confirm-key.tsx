import type { ApiKey } from "../../../../client/index.ts";
import { toast } from "../../../components/toast.tsx";
import { shownKey } from "../../../lib/masked-key.ts";
import { ConfirmCall } from "../../shell/requests.tsx";

interface ConfirmKeyProps {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
}

/** Disables an enabled key, or enables a disabled one. */
export function SwitchKey({ bucket, name, apiKey, onClose }: ConfirmKeyProps) {
  const { id, key = id, isEnabled } = apiKey;
  const verb = isEnabled ? "Disable" : "Enable";
  const body = { isEnabled: !isEnabled };
  return (
    <ConfirmCall
      title={`${verb} key ${shownKey(key)}?`}
      action={`${verb} key`}
      isSafe={!isEnabled}
      call={(api) => api.keys(bucket, name).update(id, body)}
      onClose={onClose}
      onDone={() => {
        toast(`Key ${isEnabled ? "disabled" : "enabled"}`);
        onClose();
      }}
    >
      <p>
        {isEnabled
          ? "Requests with it are rejected immediately. It can be enabled again at any time."
          : "Requests with it are accepted again."}
      </p>
    </ConfirmCall>
  );
}

export function DeleteKey({ bucket, name, apiKey, onClose }: ConfirmKeyProps) {
  const { id, key = id } = apiKey;
  return (
    <ConfirmCall
      title={`Delete key ${shownKey(key)}?`}
      action="Delete key"
      call={(api) => api.keys(bucket, name).delete(id)}
      onClose={onClose}
      onDone={() => {
        toast("Key deleted");
        onClose();
      }}
    >
      <p>Requests with it are rejected immediately. This cannot be undone.</p>
    </ConfirmCall>
  );
}
