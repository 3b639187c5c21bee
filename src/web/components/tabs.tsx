import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface Tab {
  value: string;
  label: string;
  content: () => ReactNode;
}

/** The URL selects the open tab; only that one is rendered. */
export function Tabs({ tabs, value, onChange }: { tabs: Tab[]; value: string; onChange: (value: string) => void }) {
  const open = tabs.find((tab) => tab.value === value) ?? tabs[0]!;
  return (
    <Base.Root value={open.value} onValueChange={(next) => onChange(String(next))}>
      <Base.List className="tabs-list">
        {tabs.map((tab) => (
          <Base.Tab className="tab" value={tab.value} key={tab.value}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      <Base.Panel value={open.value} key={open.value}>
        {open.content()}
      </Base.Panel>
    </Base.Root>
  );
}
