import { Dialog } from "@base-ui/react/dialog";
import { type ComponentType, type KeyboardEvent, Suspense, useEffect, useId, useState } from "react";
import { messageOf } from "../../lib/errors.ts";
import { plural } from "../../lib/format.ts";
import { type PaletteEntry, usePaletteEntries } from "./palette-entries.ts";

interface PaletteProps {
  /** Whether requests of a customer pass. */
  CustomerState: ComponentType<{ path: string }>;
  text: string;
  onText: (text: string) => void;
  onClose: () => void;
}

/** Ctrl-K: finds pages, frequent actions and resources of the account by a few letters. */
export default function Palette({ CustomerState, text, onText, onClose }: PaletteProps) {
  const [chosen, setChosen] = useState(0);
  /** Enter was pressed before there were results: the first result will be opened. */
  const [isEager, setEager] = useState(false);
  /** A panel whose page arrives late opens on top and takes the focus: the palette is then reopened above it. */
  const [openings, setOpenings] = useState(1);
  const listId = useId();
  const { entries, isSearching, error } = usePaletteEntries(text);
  const current = Math.min(chosen, entries.length - 1);
  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: "nearest" });
  }, [current, listId]);
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the results arrive
  useEffect(() => {
    if (isEager && !isSearching) run(entries[0]);
  }, [isEager, isSearching]);
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((current + step + entries.length) % Math.max(entries.length, 1));
    else if (event.key === "Enter") entries.length > 0 ? run(entries[current]) : setEager(isSearching);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root key={openings} open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label="Search">
          <input
            role="combobox"
            aria-label="Search pages, actions and resources"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={entries[current] ? `${listId}-${current}` : undefined}
            aria-busy={isSearching}
            maxLength={256}
            placeholder="Customers, keys, invoices, routes, pages…"
            value={text}
            onChange={(event) => {
              onText(event.target.value);
              setChosen(0);
              setEager(false);
            }}
            onKeyDown={pressed}
            onBlur={({ currentTarget, relatedTarget }) => {
              const dialog = relatedTarget?.closest("[role=dialog]");
              if (dialog && !dialog.contains(currentTarget)) setOpenings(openings + 1);
            }}
          />
          <div className="palette-list" role="listbox" id={listId} aria-label="Results">
            {entries.map((entry, index) => (
              <div key={entry.id}>
                {entry.group !== entries[index - 1]?.group && <div className="palette-group">{entry.group}</div>}
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys for the whole list */}
                <div
                  className="palette-item"
                  data-group={entry.group}
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
          </div>
          {entries.length === 0 && !isSearching && !error && (
            <div className="palette-foot">
              Nothing matches “{text}”. Keys match by their value or their last characters, everything else also with a
              typo.
            </div>
          )}
          {error && <div className="palette-foot">{messageOf(error)}</div>}
          {entries[current]?.found?.type === "consumer" && (
            <Suspense>
              <CustomerState path={entries[current].found.path} />
            </Suspense>
          )}
          <div className="visually-hidden" role="status">
            {isSearching ? "Searching" : plural(entries.length, "result")}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
