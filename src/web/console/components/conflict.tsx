import { useEffect, useState } from "react";
import { Conflict, type ConflictField } from "../../components/conflict.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { statusOf } from "../../lib/errors.ts";

/**
 * The error of a failed save. After a 412 it shows both versions: `load` returns the stored one, `onTheirs` puts it
 * into the form, and `onMine` lets the form overwrite it.
 */
export function SaveError<Thing extends object>({
  error,
  load,
  fields,
  onTheirs,
  onMine,
}: {
  error: unknown;
  load: () => Promise<Thing>;
  fields: (theirs: Thing) => ConflictField[];
  onTheirs: (theirs: Thing) => void;
  onMine: (theirs: Thing) => void;
}) {
  const [theirs, setTheirs] = useState<Thing>();
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
  return <Conflict fields={fields(theirs)} onTakeTheirs={() => onTheirs(theirs)} onKeepMine={() => onMine(theirs)} />;
}
