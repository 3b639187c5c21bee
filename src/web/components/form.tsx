import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type Mutation, type MutationCache, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type FormEvent,
  type FormHTMLAttributes,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from "react";
import { addForm } from "../lib/unsaved.ts";
import { Button } from "./button.tsx";
import { ShownErrors } from "./shown-errors.tsx";

interface FormActions {
  /** Runs another action than submitting that saves the form. */
  save: (action: () => void) => void;
  /** The form shows what is stored. */
  reset: () => void;
  /** Discards the input. */
  discard: () => void;
}

const Context = createContext<FormActions>({ save: (action) => action(), reset: () => {}, discard: () => {} });

/** The form that contains this component. */
export const useForm = (): FormActions => useContext(Context);

interface FormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, "onSubmit"> {
  /** Starts the mutation that saves the input. */
  onSubmit: () => void;
  children: ReactNode;
}

/** A form that requires a confirmation before its input is discarded. */
export function Form({ onSubmit, children, ...props }: FormProps) {
  const root = useRef<HTMLFormElement>(null);
  const input = useRef<FormInput>(undefined);
  const [question, setQuestion] = useState<(isDiscarded: boolean) => void>();
  const mutations = useQueryClient().getMutationCache();
  useEffect(() => {
    const watched = new FormInput(root.current!, mutations);
    input.current = watched;
    let settle = (_isDiscarded: boolean) => {};
    const ask = () => {
      settle(false);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      settle = (isDiscarded) => {
        setQuestion(undefined);
        resolve(isDiscarded);
      };
      const asked = settle;
      setQuestion(() => asked);
      return promise;
    };
    const stop = watched.watch();
    const remove = addForm({
      root: () => root.current,
      isChanged: () => watched.isChanged(),
      discard: () => watched.discard(),
      ask,
    });
    return () => {
      stop();
      remove();
      settle(false);
    };
  }, [mutations]);
  const actions: FormActions = {
    save: (action) => (input.current ? input.current.save(action) : action()),
    // After the values are in the controls.
    reset: () => setTimeout(() => input.current?.reset()),
    discard: () => input.current?.discard(),
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog is inside the forms below it, as React sees it.
    event.stopPropagation();
    actions.save(onSubmit);
  };
  return (
    <Context value={actions}>
      <ShownErrors>
        <form noValidate {...props} ref={root} onSubmit={submit}>
          {children}
        </form>
      </ShownErrors>
      {question && <DiscardQuestion onDecision={question} />}
    </Context>
  );
}

/** A titled part of a long form. */
export const FormSection = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="form-section stack">
    <h2>{title}</h2>
    {children}
  </section>
);

interface SaveBarProps {
  isChanged: boolean;
  onDiscard: () => void;
  children: ReactNode;
}

/** The button that saves a long form, in view while it is edited. */
export function SaveBar({ isChanged, onDiscard, children }: SaveBarProps) {
  const { reset } = useForm();
  const discard = () => {
    onDiscard();
    reset();
  };
  return (
    <div className="save-bar row row-wrap">
      {children}
      {isChanged && (
        <>
          <Button kind="quiet" onClick={discard}>
            Discard
          </Button>
          <span className="muted small">Unsaved changes</span>
        </>
      )}
    </div>
  );
}

/** Asks before input is lost. It is part of the form's own code, so that it is there when the server is not. */
function DiscardQuestion({ onDecision }: { onDecision: (isDiscarded: boolean) => void }) {
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onDecision(false)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop dialog-backdrop" forceRender />
        <AlertDialog.Popup className="dialog">
          <div className="dialog-head">
            <AlertDialog.Title>Discard your changes?</AlertDialog.Title>
          </div>
          <div className="dialog-body">
            <AlertDialog.Description>What you have entered is not saved.</AlertDialog.Description>
          </div>
          <div className="dialog-foot">
            <Button onClick={() => onDecision(false)}>Keep editing</Button>
            <Button kind="danger-fill" onClick={() => onDecision(true)}>
              Discard changes
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Values = Map<Control, string>;

/** Sent but perhaps not saved yet. */
interface Saving {
  mutations: Mutation<unknown, Error, unknown>[];
  values: Values;
  isEdited: boolean;
}

/** The user is about to change something. */
const before = ["pointerdown", "keydown", "beforeinput"];
const after = ["input", "change"];

/**
 * Compares the controls of a form with their values before the user's first action. State that is not in a control takes
 * part as `<input type="hidden">`. Controls inside `[data-transient]` contain nothing to keep, such as a typed
 * confirmation.
 */
class FormInput {
  #values: Values;
  #isTouched = false;
  #saving: Saving | undefined;
  #isDiscarded = false;

  constructor(
    private readonly root: Element,
    private readonly mutations: MutationCache,
  ) {
    this.#values = this.#read();
  }

  /** Returns a function that stops it. */
  watch(): () => void {
    const observer = new MutationObserver(() => this.#addControls());
    observer.observe(this.root, { childList: true, subtree: true });
    const acts = (event: Event) => this.#act(before.includes(event.type));
    for (const type of [...before, ...after]) this.root.addEventListener(type, acts, true);
    return () => {
      observer.disconnect();
      for (const type of [...before, ...after]) this.root.removeEventListener(type, acts, true);
    };
  }

  isChanged(): boolean {
    if (this.#isDiscarded) return false;
    // A paused mutation waits for the server, and is lost with the page.
    const isPaused = this.#saving?.mutations.some(({ state }) => state.isPaused);
    if (!this.#saving || isPaused || this.#hasFailed()) return this.#differs(this.#values);
    return this.#saving.isEdited && this.#differs(this.#saving.values);
  }

  /** Until the user continues. */
  discard(): void {
    this.#isDiscarded = true;
  }

  /** Runs an action that saves the form: its input is saved unless a request that it sends fails. */
  save(action: () => void): void {
    const earlier = new Set(this.mutations.getAll());
    action();
    const mutations = this.mutations.getAll().filter((mutation) => !earlier.has(mutation));
    if (mutations.length > 0) this.#saving = { mutations, values: this.#read(), isEdited: false };
  }

  /** The form now shows what is stored. */
  reset(): void {
    this.#saving = { mutations: [], values: this.#read(), isEdited: false };
  }

  #hasFailed(): boolean {
    return this.#saving?.mutations.some(({ state }) => state.status === "error") ?? false;
  }

  #act(isBefore: boolean): void {
    const saving = this.#saving;
    this.#isDiscarded = false;
    if (saving && this.#hasFailed()) this.#saving = undefined;
    else if (saving?.mutations.some(({ state }) => state.status === "pending")) saving.isEdited ||= !isBefore;
    else if (saving) {
      // Saved: the server may have changed the values.
      this.#values = isBefore && !saving.isEdited ? this.#read() : saving.values;
      this.#saving = undefined;
    } else if (!this.#isTouched && isBefore) this.#values = this.#read();
    this.#isTouched = true;
  }

  /** Controls of a part that was opened, such as a fold or a new row. */
  #addControls(): void {
    if (!this.#isTouched) this.#values = this.#read();
    else
      for (const [control, value] of this.#read())
        for (const values of [this.#values, this.#saving?.values])
          if (values && !values.has(control)) values.set(control, value);
  }

  #differs(values: Values): boolean {
    const now = this.#read();
    // A control that is gone was in a row that was removed.
    return [...values].some(([control, value]) => (now.get(control) ?? "") !== value);
  }

  #read(): Values {
    const controls = this.root.querySelectorAll<Control>("input, textarea, select");
    return new Map(
      [...controls].filter((each) => !each.closest("[data-transient]")).map((each) => [each, textOf(each)]),
    );
  }
}

function textOf(control: Control): string {
  if (control instanceof HTMLInputElement) {
    if (control.type === "checkbox" || control.type === "radio") return control.checked ? "checked" : "";
    if (control.type === "file") return [...(control.files ?? [])].map(({ name }) => name).join("\n");
  }
  return control.value;
}
