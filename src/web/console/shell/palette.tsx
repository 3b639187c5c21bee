import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { BookOpen, type LucideIcon, Moon, Plus } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { useSession } from "../queries/session.tsx";
import { places } from "./places.ts";

interface Entry {
  id: string;
  group: string;
  label: string;
  detail?: string;
  icon: LucideIcon;
  run: () => void;
}

/** Ctrl-K: every place and the actions people reach for, by typing a few letters of them. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const entries = useEntries(text);
  const current = Math.min(chosen, entries.length - 1);
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((current + step + entries.length) % Math.max(entries.length, 1));
    else if (event.key === "Enter") run(entries[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label="Search">
          <input
            role="combobox"
            aria-label="Search places and actions"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={entries[current] ? `${listId}-${current}` : undefined}
            placeholder="Search or jump to…"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setChosen(0);
            }}
            onKeyDown={pressed}
          />
          <div className="palette-list" role="listbox" id={listId} aria-label="Results">
            {entries.map((entry, index) => (
              <div key={entry.id}>
                {entry.group !== entries[index - 1]?.group && <div className="palette-group">{entry.group}</div>}
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys for the whole list */}
                <div
                  className="palette-item"
                  role="option"
                  tabIndex={-1}
                  id={`${listId}-${index}`}
                  aria-selected={index === current}
                  onPointerMove={() => setChosen(index)}
                  onClick={() => run(entry)}
                >
                  <entry.icon size={16} aria-hidden />
                  <span className="truncate">{entry.label}</span>
                  {entry.detail && <small className="truncate">{entry.detail}</small>}
                </div>
              </div>
            ))}
            {entries.length === 0 && <div className="palette-group">Nothing matches “{text}”.</div>}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useEntries(text: string): Entry[] {
  const navigate = useNavigate();
  const { canEdit } = useSession();
  const phrase = text.trim().toLowerCase();
  const go = places.map(({ to, label, icon }) => ({
    id: to,
    group: "Go to",
    label,
    icon,
    run: () => void navigate({ to }),
  }));
  const actions: Entry[] = [
    ...(canEdit
      ? [
          {
            id: "new-consumer",
            label: "Create consumer",
            icon: Plus,
            run: () => void navigate({ to: "/consumers", search: { new: true } }),
          },
          {
            id: "new-plan",
            label: "Create plan",
            icon: Plus,
            run: () => void navigate({ to: "/plans", search: { new: true } }),
          },
          {
            id: "deploy",
            label: "Deploy a project",
            icon: Plus,
            run: () => void navigate({ to: "/deployments", search: { new: true } }),
          },
        ]
      : []),
    {
      id: "theme",
      label: "Switch theme",
      icon: Moon,
      run: () => document.querySelector<HTMLButtonElement>("[aria-label^='Use the ']")?.click(),
    },
    { id: "docs", label: "Open the API reference", icon: BookOpen, run: () => window.location.assign("/docs") },
  ].map((entry) => ({ ...entry, group: "Actions" }));
  return [...go, ...actions].filter(({ label }) => label.toLowerCase().includes(phrase));
}
