interface Toast {
  id: number;
  text: string;
  tone: "green" | "red";
}

let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
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

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
