import type { ApiKey } from "../../../../client/index.ts";
import { Confirm } from "../../../components/confirm.tsx";
import { toast } from "../../../components/toast.tsx";
import { shownKey } from "../../../lib/masked-key.ts";
import { command } from "../../../lib/shell.ts";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

interface ConfirmKeyProps {
  bucket: string;
  name: string;
  apiKey: ApiKey;
  onClose: () => void;
}

/** Disables an enabled key, or enables a disabled one. */
export function SwitchKey({ bucket, name, apiKey, onClose }: ConfirmKeyProps) {
  const { api, account } = useSession();
  const { id, key = id, isEnabled } = apiKey;
  const verb = isEnabled ? "Disable" : "Enable";
  const body = { isEnabled: !isEnabled };
  return (
    <Confirm
      title={`${verb} key ${shownKey(key)}?`}
      action={`${verb} key`}
      isSafe={!isEnabled}
      footStart={
        <CopyAs
          request={{ method: "PATCH", path: pathOf(account, bucket, name, id), body }}
          command={command("keys", "update", name, id, "--bucket", bucket, "--enabled", String(!isEnabled))}
        />
      }
      run={() => api.keys(bucket, name).update(id, body)}
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
    </Confirm>
  );
}

export function DeleteKey({ bucket, name, apiKey, onClose }: ConfirmKeyProps) {
  const { api, account } = useSession();
  const { id, key = id } = apiKey;
  return (
    <Confirm
      title={`Delete key ${shownKey(key)}?`}
      action="Delete key"
      footStart={
        <CopyAs
          request={{ method: "DELETE", path: pathOf(account, bucket, name, id) }}
          command={command("keys", "delete", name, id, "--bucket", bucket)}
        />
      }
      run={() => api.keys(bucket, name).delete(id)}
      onClose={onClose}
      onDone={() => {
        toast("Key deleted");
        onClose();
      }}
    >
      <p>Requests with it are rejected immediately. This cannot be undone.</p>
    </Confirm>
  );
}

const pathOf = (account: string, bucket: string, name: string, id: string): string =>
  `/v1/accounts/${account}/key-buckets/${bucket}/consumers/${name}/keys/${id}`;
