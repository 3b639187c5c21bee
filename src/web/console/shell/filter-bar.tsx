import { SlidersHorizontal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/button.tsx";
import { SaveView } from "./save-view.tsx";

/**
 * Filters in a row; in narrow windows behind a button that shows the number of active ones. Active filters can be saved
 * as a view.
 */
export function FilterBar({ count, end, children }: { count: number; end?: ReactNode; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="filters">
      <span className="filters-toggle">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal size={16} aria-hidden />
          Filters{count > 0 && ` (${count})`}
        </Button>
      </span>
      <div className="filters-folded" data-open={isOpen || undefined}>
        {children}
        {count > 0 && <SaveView />}
      </div>
      {end && <span className="filters-end">{end}</span>}
    </div>
  );
}
