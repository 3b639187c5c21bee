import type { ButtonHTMLAttributes, ReactNode } from "react";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "secondary" | "primary" | "danger" | "danger-fill" | "quiet";
  /** For icons that everybody knows; `aria-label` says the word. */
  isIcon?: boolean;
  isSmall?: boolean;
  /** Keeps the button's size and says that it works. */
  isBusy?: boolean;
  children?: ReactNode;
}

export function Button({ kind = "secondary", isIcon, isSmall, isBusy, disabled, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className="button"
      data-kind={kind}
      data-icon={isIcon || undefined}
      data-small={isSmall || undefined}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {children}
    </button>
  );
}
