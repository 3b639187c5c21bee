import { CircleAlert, CircleCheck, X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Button } from "./button.tsx";

interface Toast {
  id: number;
  text: string;
  tone: "green" | "red";
}

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const shownMs = 5000;

/** Says that something is done, at the edge of the page. Errors of a form belong into the form. */
export function toast(text: string, tone: Toast["tone"] = "green"): void {
  const id = nextId++;
  change([...toasts.slice(-2), { id, text, tone }]);
  setTimeout(() => dismiss(id), shownMs);
}

function dismiss(id: number): void {
  change(toasts.filter((shown) => shown.id !== id));
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, tone }) => {
        const Icon = tone === "red" ? CircleAlert : CircleCheck;
        return (
          <div className="toast" data-tone={tone} key={id}>
            <Icon size={16} aria-hidden />
            <div>{text}</div>
            <Button kind="quiet" isSmall isIcon aria-label="Dismiss" onClick={() => dismiss(id)}>
              <X size={14} aria-hidden />
            </Button>
          </div>
        );
      })}
    </div>
  );
}
