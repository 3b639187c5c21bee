import type { LucideIcon } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, useId } from "react";
import { toast } from "./toasts.ts";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "secondary" | "primary" | "danger" | "danger-fill" | "quiet";
  /** For well-known icons; `aria-label` contains the word. */
  isIcon?: boolean;
  isSmall?: boolean;
  /** Keeps the button's size while the action runs. */
  isBusy?: boolean;
  /** Why the signed-in user may not do it. The button stays visible and shows the reason when it is pressed. */
  denied?: string | undefined;
  /** Before the label. */
  icon?: LucideIcon;
  children?: ReactNode;
}

export function Button({ icon: Icon, children, ...props }: ButtonProps) {
  const label = (
    <>
      {Icon && <Icon size={16} aria-hidden />}
      {children}
    </>
  );
  if (props.denied === undefined) return <Allowed {...props}>{label}</Allowed>;
  return (
    <Denied {...props} denied={props.denied}>
      {label}
    </Denied>
  );
}

function Allowed({ kind, isIcon, isSmall, isBusy, denied, disabled, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      {...look({ kind, isIcon, isSmall })}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {children}
    </button>
  );
}

/** Focusable, unlike a disabled button, so that keyboard and screen reader users get the reason too. */
function Denied({ kind, isIcon, isSmall, denied, children, "aria-label": label }: ButtonProps & { denied: string }) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        {...look({ kind, isIcon, isSmall })}
        aria-label={label}
        aria-disabled
        aria-describedby={id}
        title={denied}
        onClick={() => toast(denied, "red")}
      >
        {children}
      </button>
      <span id={id} hidden>
        {denied}
      </span>
    </>
  );
}

const look = ({ kind = "secondary", isIcon, isSmall }: Pick<ButtonProps, "kind" | "isIcon" | "isSmall">) => ({
  className: "button",
  "data-kind": kind,
  "data-icon": isIcon || undefined,
  "data-small": isSmall || undefined,
});
