import { lazy, type ReactNode, Suspense, useEffect, useSyncExternalStore } from "react";
import { AboveDialogs } from "../../../components/above-dialogs.ts";
import { loadLater } from "../../../lib/load-later.ts";
import { isRenewing, subscribeToRenewal } from "../../queries/renewal.ts";

const loadDialog = () => import("./again-dialog.tsx");
const SignInAgain = lazy(() => loadDialog().then(({ SignInAgain }) => ({ default: SignInAgain })));

/** Lets users sign in again above a dialog that is open when the session ends. */
export function RenewableSession({ children }: { children: ReactNode }) {
  const isEnded = useSyncExternalStore(subscribeToRenewal, isRenewing);
  // Loaded after the first page: when the session ends, the server may already have another release without this chunk.
  useEffect(() => loadLater(loadDialog), []);
  const dialog = (
    <Suspense>
      <SignInAgain />
    </Suspense>
  );
  return <AboveDialogs value={isEnded ? dialog : null}>{children}</AboveDialogs>;
}
