import { Listeners } from "../lib/listeners.ts";

interface Toast {
  id: number;
  text: string;
  tone: "green" | "red";
}

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Listeners();
const shownMs = 5000;

/** Shows a short notification at the edge of the page. Errors of a form are shown in the form. */
export function toast(text: string, tone: Toast["tone"] = "green"): void {
  const id = nextId++;
  change([...toasts.slice(-2), { id, text, tone }]);
  setTimeout(() => dismissToast(id), shownMs);
}

export function dismissToast(id: number): void {
  change(toasts.filter((shown) => shown.id !== id));
}

export const shownToasts = () => toasts;

export const subscribeToToasts = listeners.subscribe;

function change(next: readonly Toast[]): void {
  toasts = next;
  listeners.notify();
}
