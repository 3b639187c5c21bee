/**
 * The forms on the page whose input would be lost. Everything that can discard input asks here first: dialogs and panels
 * that are closed, the router, and the browser when it leaves the page.
 */
interface GuardedForm {
  root: () => Element | null;
  isChanged: () => boolean;
  /** Shows the question and resolves to whether the input may be discarded. */
  ask: () => Promise<boolean>;
  /** The input may be lost now. */
  discard: () => void;
}

/** In the order in which they were opened. */
const forms = new Set<GuardedForm>();

let install: () => () => void = () => () => {};
let uninstall = () => {};

/** Installs the router's guard while there is a form. `guard` returns a function that removes it. */
export function guardNavigation(guard: () => () => void): void {
  install = guard;
}

export function addForm(form: GuardedForm): () => void {
  if (forms.size === 0) {
    uninstall = install();
    window.addEventListener("beforeunload", askInBrowser);
  }
  forms.add(form);
  return () => {
    forms.delete(form);
    if (forms.size > 0) return;
    uninstall();
    window.removeEventListener("beforeunload", askInBrowser);
  };
}

function askInBrowser(event: BeforeUnloadEvent): void {
  if (hasUnsavedInput()) event.preventDefault();
}

const changedForms = (within?: Element | null): GuardedForm[] =>
  [...forms].filter((form) => (!within || within.contains(form.root())) && form.isChanged());

/** Whether input would be lost with the page, or with a part of it. */
export const hasUnsavedInput = (within?: Element | null): boolean => changedForms(within).length > 0;

/** Resolves to whether the page, or a part of it, may be left. Asks if input would be lost. */
export async function mayLeave(within?: Element | null): Promise<boolean> {
  const changed = changedForms(within);
  // The form that was opened last is above the others.
  const top = changed.at(-1);
  if (!top) return true;
  const isDiscarded = await top.ask();
  if (isDiscarded) for (const form of changed) form.discard();
  return isDiscarded;
}

/** Closes a part of the page, at once if no input would be lost. */
export function closeGuarded(part: Element | null, close: () => void): void {
  if (!hasUnsavedInput(part)) close();
  else mayLeave(part).then((isAllowed) => isAllowed && close());
}
