import type { HourlyExport } from "../../../../../client/index.ts";
import { toast } from "../../../../components/toast.tsx";
import { ConfirmCall } from "../../../shell/requests.tsx";

export interface ExportDialogProps {
  hourly: HourlyExport;
  onClose: () => void;
}

/** Pauses an enabled export, or resumes a paused one. */
export function SwitchExport({ hourly: { name, isEnabled }, onClose }: ExportDialogProps) {
  const verb = isEnabled ? "Pause" : "Resume";
  return (
    <ConfirmCall
      title={`${verb} ${name}?`}
      action={`${verb} ${name}`}
      isSafe={!isEnabled}
      call={(api) => api.exports.update(name, { isEnabled: !isEnabled })}
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
    </ConfirmCall>
  );
}

export function DeleteExport({ hourly, onClose }: ExportDialogProps) {
  const { name, to } = hourly;
  return (
    <ConfirmCall
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      call={(api) => api.exports.delete(name)}
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
    </ConfirmCall>
  );
}
