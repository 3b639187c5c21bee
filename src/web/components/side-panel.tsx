import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useEffect, useRef } from "react";
import { closeGuarded } from "../lib/unsaved.ts";
import { CloseButton } from "./dialog.tsx";

interface SidePanelProps {
  title: ReactNode;
  subtitle?: ReactNode;
  onClose: () => void;
  actions?: ReactNode;
  isWide?: boolean;
  children: ReactNode;
}

/**
 * Details beside their list, which stays usable: a click on another row shows that one. On a phone the panel covers
 * the list. Escape closes it, and the focus returns to the row that it shows or to what opened it.
 */
export function SidePanel({ title, subtitle, onClose, actions, isWide, children }: SidePanelProps) {
  const popup = useRef<HTMLDivElement>(null);
  const isBeside = window.matchMedia("(min-width: 768px)").matches;
  const finalFocus = useFinalFocus();
  return (
    <Base.Root
      open
      modal={!isBeside}
      disablePointerDismissal={isBeside}
      onOpenChange={(open) => !open && closeGuarded(popup.current, onClose)}
    >
      <Base.Portal>
        {!isBeside && <Base.Backdrop className="backdrop" />}
        <Base.Popup
          className="panel"
          data-wide={isWide || undefined}
          data-beside={isBeside || undefined}
          ref={popup}
          initialFocus={popup}
          finalFocus={finalFocus}
        >
          <div className="panel-head">
            <div className="stack stack-tight">
              <Base.Title>{title}</Base.Title>
              {subtitle}
            </div>
            <CloseButton />
            {actions && <div className="panel-actions">{actions}</div>}
          </div>
          <div className="panel-body">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The link of the row that the panel showed last, or the button outside of the list that opened the panel. */
function useFinalFocus(): () => HTMLElement | boolean {
  const opener = useRef(document.activeElement);
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    row.current = document.querySelector<HTMLElement>("tr[data-open] .row-link") ?? row.current;
  });
  return () => {
    const isButton = opener.current?.matches("a, button") && !opener.current.closest("tr");
    return !isButton && row.current?.isConnected ? row.current : true;
  };
}
