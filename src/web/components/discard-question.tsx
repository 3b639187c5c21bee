import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Button } from "./button.tsx";

/** Asks before input is lost. It is part of the form's own code, so that it is there when the server is not. */
export function DiscardQuestion({ onAnswer }: { onAnswer: (isDiscarded: boolean) => void }) {
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onAnswer(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop dialog-backdrop" forceRender />
        <AlertDialog.Popup className="dialog">
          <div className="dialog-head">
            <AlertDialog.Title>Discard your changes?</AlertDialog.Title>
          </div>
          <div className="dialog-body">
            <AlertDialog.Description>What you have entered is not saved.</AlertDialog.Description>
          </div>
          <div className="dialog-foot">
            <Button onClick={() => onAnswer(false)}>Keep editing</Button>
            <Button kind="danger-fill" onClick={() => onAnswer(true)}>
              Discard changes
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
