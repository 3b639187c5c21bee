import { Tabs as Base } from "@base-ui/react/tabs";
import { type ReactNode, Suspense, useLayoutEffect, useRef } from "react";
import { SkeletonLines } from "./notice.tsx";

export interface Tab {
  value: string;
  label: string;
  content: () => ReactNode;
}

/** The URL selects the open tab; only that one is rendered. */
export function Tabs({ tabs, value, onChange }: { tabs: Tab[]; value: string; onChange: (value: string) => void }) {
  const open = tabs.find((tab) => tab.value === value) ?? tabs[0]!;
  const list = useRef<HTMLDivElement>(null);
  // In a narrow window the list scrolls sideways, and the open tab may be out of sight, also after the window became narrow.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected element changes with the value
  useLayoutEffect(() => {
    const show = () => {
      const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
      if (tab) list.current!.scrollLeft = tab.offsetLeft - (list.current!.clientWidth - tab.offsetWidth) / 2;
    };
    show();
    const observer = new ResizeObserver(show);
    observer.observe(list.current!);
    return () => observer.disconnect();
  }, [open.value]);
  return (
    <Base.Root value={open.value} onValueChange={(next) => onChange(String(next))}>
      <Base.List
        className="tabs-list"
        ref={list}
        // Otherwise the router restores the position of another open tab.
        data-scroll-restoration-id={`${tabs[0]!.value}/${open.value}`}
      >
        {tabs.map((tab) => (
          <Base.Tab className="tab" value={tab.value} key={tab.value}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel className="tabs-panel" value={open.value} key={open.value}>
        <Suspense fallback={<SkeletonLines />}>{open.content()}</Suspense>
      </Base.Panel>
    </Base.Root>
  );
}
