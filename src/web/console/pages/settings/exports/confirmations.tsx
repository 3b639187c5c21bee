import type { HourlyExport } from "../../../../../client/index.ts";
import { Confirm } from "../../../../components/confirm.tsx";
import { toast } from "../../../../components/toast.tsx";
import { command } from "../../../../lib/shell.ts";
import { useSession } from "../../../queries/session.tsx";
import { CopyAs } from "../../../shell/requests.tsx";

export interface ExportDialogProps {
  hourly: HourlyExport;
  onClose: () => void;
}

/** Pauses an enabled export, or resumes a paused one. */
export function SwitchExport({ hourly: { name, isEnabled }, onClose }: ExportDialogProps) {
  const { api, account } = useSession();
  const verb = isEnabled ? "Pause" : "Resume";
  return (
    <Confirm
      title={`${verb} ${name}?`}
      action={`${verb} ${name}`}
      isSafe={!isEnabled}
      footStart={
        <CopyAs
          request={{
            method: "PATCH",
            path: `/v1/accounts/${account}/exports/${name}`,
            body: { isEnabled: !isEnabled },
          }}
          command={command("exports", "update", name, isEnabled ? "--disable" : "--enable")}
        />
      }
      run={() => api.exports.update(name, { isEnabled: !isEnabled })}
      onClose={onClose}
      onDone={() => {
        toast(isEnabled ? `${name} is paused` : `${name} is resumed`);
        onClose();
      }}
    >
      {isEnabled ? (
        <p>
          No hour is written until it is resumed. It then continues where it was. Data that has passed its retention by
          then is missing.
        </p>
      ) : (
        <p>The hours that were missed are written first, in order.</p>
      )}
    </Confirm>
  );
}

export function DeleteExport({ hourly, onClose }: ExportDialogProps) {
  const { api, account } = useSession();
  const { name, to } = hourly;
  return (
    <Confirm
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      footStart={
        <CopyAs
          request={{ method: "DELETE", path: `/v1/accounts/${account}/exports/${name}` }}
          command={command("exports", "delete", name)}
        />
      }
      run={() => api.exports.delete(name)}
      onClose={onClose}
      onDone={() => {
        toast(`${name} is deleted`);
        onClose();
      }}
    >
      <p className="wrap-anywhere">
        No more hours are written to {to.url}, and its credential is deleted. What it has written stays there.
      </p>
      <p>This cannot be undone: a new export begins with an hour of its own.</p>
    </Confirm>
  );
}
