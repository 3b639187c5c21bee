import { Link, useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The entry before this one is the same list without a panel. */
    isAboveList?: true;
  }
}

/** The search parameters that open a panel with details of a row. */
type PanelParameter = "plan" | "subscription" | "invoice" | "request" | "route" | "domain" | "delivery" | "entry";

const aboveList = { isAboveList: true } as const;

/**
 * The panel of a list, which a search parameter opens. The history has at most one entry for it: another row replaces
 * it, and closing returns to the entry of the list, so that Back does not open it again.
 */
export function usePanel(parameter: PanelParameter) {
  const { history } = useRouter();
  const navigate = useNavigate();
  const shown = (useSearch({ strict: false }) as Record<string, string | undefined>)[parameter];
  const isOpen = shown !== undefined;
  const open = (id: string) =>
    navigate({
      to: ".",
      search: ({ new: _, ...old }: Record<string, unknown>) => ({ ...old, [parameter]: id }),
      replace: isOpen,
      state: isOpen ? true : aboveList,
      resetScroll: false,
    });
  const close = () => {
    if (history.location.state.isAboveList) return goBackOnce(() => history.back());
    navigate({
      to: ".",
      search: ({ [parameter]: _, ...old }: Record<string, unknown>) => old,
      replace: true,
      resetScroll: false,
    });
  };
  return { shown, isOpen, open, close };
}

let isGoingBack = false;

/** Going back takes a moment, in which Escape may be pressed again. */
function goBackOnce(back: () => void): void {
  if (isGoingBack) return;
  isGoingBack = true;
  window.addEventListener("popstate", () => (isGoingBack = false), { once: true });
  back();
}

interface PanelLinkProps {
  panel: PanelParameter;
  id: string;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** The link of a row that opens its panel. */
export function PanelLink({ panel, id, className = "", title, children }: PanelLinkProps) {
  const { isOpen } = usePanel(panel);
  return (
    <Link
      className={`row-link ${className}`.trim()}
      to="."
      search={(old: object) => ({ ...old, [panel]: id })}
      replace={isOpen}
      state={isOpen ? true : aboveList}
      resetScroll={false}
      title={title}
    >
      {children}
    </Link>
  );
}
