import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Button } from "./button.tsx";
import { dismissToast, shownToasts, subscribeToToasts } from "./toasts.ts";

export { toast } from "./toasts.ts";

export function Toasts() {
  const shown = useSyncExternalStore(subscribeToToasts, shownToasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => {
        const Icon = tone === "red" ? CircleAlert : CircleCheck;
        return (
          <div className="toast" data-tone={tone} key={id}>
            <Icon size={16} aria-hidden />
            <div>{text}</div>
            <Button icon={X} kind="quiet" isSmall isIcon aria-label="Dismiss" onClick={() => dismissToast(id)} />
          </div>
        );
      })}
    </div>
  );
}
