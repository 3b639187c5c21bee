import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useQueryClient } from "@tanstack/react-query";
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
import { FormInput } from "../lib/form-input.ts";
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
