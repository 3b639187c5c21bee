import { type ComponentProps, useEffect, useState } from "react";
import type { Tollgate } from "../../../client/index.ts";
import { Conflict, type ConflictField } from "../../components/conflict.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { bindForm } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { statusOf } from "../../lib/errors.ts";
import { useSession } from "../queries/session.tsx";
import { type Call, CopyAs, useCall } from "./requests.tsx";

interface Save<Base> {
  error: unknown;
  /** Saves the form as a change of `base`. */
  mutate(base: Base): void;
  reset(): void;
}

interface EditProps<Base, Saved = Save<Base>> {
  save: Saved;
  /** What the form changes from now on. */
  onBefore?: (theirs: NonNullable<Base>) => void;
  load: () => Promise<NonNullable<Base>>;
  fields: (theirs: NonNullable<Base>) => ConflictField[];
  /** Fills the form. */
  onTheirs: (theirs: NonNullable<Base>) => void;
}

/**
 * The error of a failed save. After a 412 it shows both versions: the stored one, which `load` returns, can be put into
 * the form, or be overwritten with it.
 */
export function SaveError<Base>({ save, onBefore, load, fields, onTheirs }: EditProps<Base>) {
  const { error } = save;
  const [theirs, setTheirs] = useState<NonNullable<Base>>();
  const [failure, setFailure] = useState<unknown>();
  const isConflict = statusOf(error) === 412;
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads once for each error
  useEffect(() => {
    setTheirs(undefined);
    if (isConflict) load().then(setTheirs, setFailure);
  }, [error]);
  if (!error) return null;
  if (!isConflict || failure) return <ErrorNotice error={failure ?? error} />;
  if (!theirs) return null;
  return (
    <Conflict
      fields={fields(theirs)}
      onTakeTheirs={() => {
        onBefore?.(theirs);
        onTheirs(theirs);
        save.reset();
      }}
      onKeepMine={() => {
        onBefore?.(theirs);
        save.mutate(theirs);
      }}
    />
  );
}

/** A dialog that changes `before`. A concurrent change is a conflict. */
export function EditDialog<Base>({
  save,
  before,
  onBefore,
  load,
  fields,
  onTheirs,
  children,
  ...dialog
}: EditProps<Base, Save<Base> & { isPending: boolean; call: Call<Base> }> & { before: Base } & Omit<
    ComponentProps<typeof FormDialog>,
    "mutation" | "onSubmit"
  >) {
  return (
    <FormDialog
      footStart={<CopyAs of={save} value={before} />}
      {...dialog}
      mutation={save}
      hasOwnError
      onSubmit={() => save.mutate(before)}
    >
      <SaveError save={save} onBefore={onBefore} load={load} fields={fields} onTheirs={onTheirs} />
      {children}
    </FormDialog>
  );
}

interface EditOptions<Base, Form, Saved> {
  /** What is changed; undefined for something new. */
  of: Base;
  formOf: (base: Base) => Form;
  load: (api: Tollgate) => Promise<NonNullable<Base>>;
  /** Saves the form as a change of `base`. */
  call: (api: Tollgate, base: Base, form: Form) => Promise<Saved>;
  done: string | ((saved: Saved) => string);
  onClose: () => void;
  /** The JSON pointer of the form in the request, if it is a part of it. */
  at?: string;
}

/** The form of an `EditDialog`: what is entered, and the properties of the dialog. */
export function useEdit<Base, Form, Saved>({
  of: base,
  formOf,
  load,
  call,
  done,
  onClose,
  at,
}: EditOptions<Base, Form, Saved>) {
  const { api } = useSession();
  const [before, onBefore] = useState(base);
  const [form, setForm] = useState(() => formOf(base));
  const save = useCall({ call: (api, base: Base) => call(api, base, form), done, onSuccess: onClose });
  const onTheirs = (theirs: NonNullable<Base>) => setForm(formOf(theirs));
  const dialog = { save, before, onBefore, load: () => load(api), onTheirs, onClose };
  return { form, setForm, before, errors: save.errors, dialog, ...bindForm(form, setForm, save.errors, { at }) };
}
