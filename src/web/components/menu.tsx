import { Menu as Base } from "@base-ui/react/menu";
import type { LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";

interface MenuAction {
  label: string;
  icon?: LucideIcon;
  onSelect: () => void;
  isDanger?: boolean;
  isHidden?: boolean;
  /** Why the action is not allowed: the item stays visible, and the menu shows the reason. */
  denied?: string | undefined;
}

export function Menu({ trigger, note, actions }: { trigger: ReactElement; note?: ReactNode; actions: MenuAction[] }) {
  const reasons = new Set(
    actions.flatMap(({ denied, isHidden }) => (denied === undefined || isHidden ? [] : [denied])),
  );
  return (
    <Base.Root>
      <Base.Trigger render={trigger} onClick={(event) => event.stopPropagation()} />
      <Base.Portal>
        <Base.Positioner className="menu-positioner" sideOffset={4} align="end">
          <Base.Popup className="menu">
            {note && <div className="menu-note">{note}</div>}
            {[...reasons].map((reason) => (
              <div className="menu-note" key={reason}>
                {reason}
              </div>
            ))}
            {actions
              .filter(({ isHidden }) => !isHidden)
              .map(({ label, icon: Icon, onSelect, isDanger, denied }) => (
                <Base.Item
                  className="menu-item"
                  key={label}
                  disabled={denied !== undefined}
                  {...(denied === undefined ? {} : { title: denied })}
                  data-tone={isDanger ? "red" : undefined}
                  onClick={(event) => {
                    event.stopPropagation();
                    onSelect();
                  }}
                >
                  {Icon && <Icon size={16} aria-hidden />}
                  {label}
                </Base.Item>
              ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
